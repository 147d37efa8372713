package agent

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
)

// offer is a job that the queue gives to this agent, until it is acknowledged.
type offer struct {
	conn *nats.Conn
	msg  *nats.Msg
}

// isOffer reports whether a message is a job, and not what a queue says of itself.
func isOffer(m *nats.Msg) bool { return strings.HasPrefix(m.Reply, "$JS.ACK."+fleet.JobStream+".") }

// Data is the job.
func (o offer) Data() []byte { return o.msg.Data }

// DoubleAck takes the job off the queue, and waits until the hub says so.
func (o offer) DoubleAck(ctx context.Context) error {
	_, err := o.conn.RequestWithContext(ctx, o.msg.Reply, []byte("+ACK"))
	return err
}

// InProgress says that it is worked on: the time in which it has to be acknowledged begins again.
func (o offer) InProgress() error { return o.tell("+WPI") }

// Nak gives it back.
func (o offer) Nak() error { return o.tell("-NAK") }

// NakWithDelay gives it back, for nobody to take it for a while.
func (o offer) NakWithDelay(d time.Duration) error {
	return o.tell(fmt.Sprintf(`-NAK {"delay": %d}`, d.Nanoseconds()))
}

// TermWithReason takes what nobody can do off the queue.
func (o offer) TermWithReason(why string) error { return o.tell("+TERM " + why) }

func (o offer) tell(what string) error { return o.conn.Publish(o.msg.Reply, []byte(what)) }
