package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/traffic/hosts"
)

// PartSubject is where a testbed is asked to take part in a measurement that another one
// leads, "*" for all methods.
func PartSubject(testbed, method string) string { return "upflab.part." + testbed + "." + method }

// Parts asks testbeds to take part in a measurement.
type Parts struct {
	conn *nats.Conn

	mu      sync.Mutex
	refused error         // what the hub does not allow
	told    chan struct{} // closed with it
}

var _ hosts.Caller = (*Parts)(nil)

// OpenParts connects to a hub for that. A hub that is gone does not come back for it: hosts
// let go when they are not asked for a while.
func OpenParts(a Access) (*Parts, error) {
	p := &Parts{told: make(chan struct{})}
	var err error
	p.conn, err = a.Connect(nats.ErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { p.refuse(err) }))
	if err != nil {
		return nil, err
	}
	return p, nil
}

// refuse notes what the hub does not allow: no answer says so.
func (p *Parts) refuse(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.refused == nil && errors.Is(err, nats.ErrPermissionViolation) {
		p.refused = err
		close(p.told)
	}
}

// Close ends the connection.
func (p *Parts) Close() { p.conn.Close() }

// Call is hosts.Caller's.
func (p *Parts) Call(ctx context.Context, testbed, method string, question []byte) ([]byte, error) {
	limited, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		select {
		case <-p.told:
			stop()
		case <-limited.Done():
		}
	}()
	msg, err := p.conn.RequestWithContext(limited, PartSubject(testbed, method), question)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return nil, errors.New("no agent of the hub serves this testbed")
	case errors.Is(err, nats.ErrMaxPayload):
		return nil, fmt.Errorf("a message of %d octets: the hub takes %d; measure with fewer sessions", len(question), p.conn.MaxPayload())
	case err != nil && p.isRefused():
		return nil, fmt.Errorf("the hub does not allow it: `upflab hub add NAME --with %s` makes a pass for a testbed that leads it", testbed)
	case err != nil:
		return nil, err
	}
	return msg.Data, nil
}

func (p *Parts) isRefused() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused != nil
}

// ServeParts answers the questions that come for a testbed, until the connection ends.
func (c *Conn) ServeParts(testbed string, p *hosts.Part) error {
	_, err := c.NATS.Subscribe(PartSubject(testbed, "*"), func(m *nats.Msg) {
		method := m.Subject[strings.LastIndexByte(m.Subject, '.')+1:]
		go func() { _ = m.Respond(p.Answer(method, m.Data)) }() // who asked waits no longer than it wants to
	})
	if err != nil {
		return fmt.Errorf("listen for measurements that others lead: %w", err)
	}
	return nil
}
