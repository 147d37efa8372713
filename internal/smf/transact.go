package smf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// request is a message that waits for an answer.
type request struct {
	typ     pfcp.MessageType
	seq     uint32
	bytes   []byte
	session *Session // nil for a node related message
	cpSEID  uint64   // that the answer must have; 0 for a node related message
}

// ask sends a request until it is answered, and returns the accepted answer.
// It fails with *RejectedError, *TimeoutError, *MalformedError, the context's
// error, or that of the connection.
func (c *Client) ask(ctx context.Context, q request) (reply, error) {
	b, err := c.transact(ctx, q)
	if err != nil {
		return reply{}, err
	}
	r, err := c.readAnswer(b, q.typ+1)
	if err != nil {
		return reply{}, err
	}
	c.checkSEID(q, r)
	if r.cause != pfcp.Cause(ie.CauseRequestAccepted) && r.Type != pfcp.HeartbeatResponse {
		return r, &RejectedError{
			Peer: c.cfg.Peer.String(), Message: q.typ.String(), Session: q.session,
			Cause: r.cause, OffendingIE: r.offending, FailedRule: r.failed,
		}
	}
	return r, nil
}

// checkSEID holds an answer's SEID to the one that we gave the session. Where a
// request is rejected it may be 0, as the UPF may not know the session (TS
// 29.244 clause 7.2.2.4.2).
func (c *Client) checkSEID(q request, r reply) {
	switch {
	case q.cpSEID == 0 || r.SEID == q.cpSEID:
	case r.SEID != 0:
		c.findings.add(FindingSEIDWrong, "SEID %#x in the %s of %s, whose SEID is %#x", r.SEID, r.Type, q.session, q.cpSEID)
	case r.cause == pfcp.Cause(ie.CauseRequestAccepted):
		c.findings.add(FindingSEIDMissing, "the %s of %s, whose SEID is %#x", r.Type, q.session, q.cpSEID)
	}
}

// readAnswer decodes an answer and checks it for what the code relies on.
func (c *Client) readAnswer(b []byte, want pfcp.MessageType) (reply, error) {
	h, ies, _, err := pfcp.Parse(b)
	switch {
	case h.Type == pfcp.VersionNotSupported:
		return reply{}, fmt.Errorf("UPF %s does not support PFCP version 1, the only one there is; check that a UPF listens there", c.cfg.Peer)
	case err != nil:
		return reply{}, c.malformed(want, err)
	}
	r, err := decode(h, ies)
	switch {
	case err != nil:
		return reply{}, c.malformed(want, err)
	case r.Type != want:
		return reply{}, c.malformed(r.Type, fmt.Errorf("a %s was due", want))
	case r.cause == 0 && r.Type != pfcp.HeartbeatResponse:
		return reply{}, c.malformed(want, errors.New("the mandatory IE Cause is missing"))
	}
	return r, nil
}

func (c *Client) malformed(typ pfcp.MessageType, reason error) error {
	c.stats.malformed.Add(1)
	return &MalformedError{Peer: c.cfg.Peer.String(), Message: typ.String(), Reason: reason}
}

// transact sends the request until it is answered (TS 29.244 clause 6.4), and
// returns the datagram that answers it.
func (c *Client) transact(ctx context.Context, q request) ([]byte, error) {
	x, answer := c.asked.begin(q)
	defer c.asked.end(x)
	var pending pfcp.Pending
	begin := time.Now()
	for {
		switch pending.Next(time.Now(), c.retransmission()) {
		case pfcp.GiveUp:
			return nil, c.unanswered(x, time.Since(begin))
		case pfcp.Send:
			c.asked.transmitted(x)
			if err := c.transmit(q, &pending); err != nil {
				return nil, err
			}
		}
		if b, err := c.await(ctx, q, answer, pending.Due); b != nil || err != nil {
			if err == nil {
				c.noteRepeated(q, pending.Sent, time.Since(begin))
			}
			return b, err
		}
	}
}

// noteRepeated finds that an answer was lost, or slow. Before there is an
// association the UPF may not have started yet.
func (c *Client) noteRepeated(q request, sent int, took time.Duration) {
	if sent > 1 && c.isAssociated() {
		c.findings.add(FindingRepeated, "the %s, sent %d times in %v", q, sent, took.Round(time.Millisecond))
	}
}

// unanswered is the error of a request that no answer came to, or only such as
// are no answer to it.
func (c *Client) unanswered(x *exchange, waited time.Duration) error {
	if wrong := c.asked.end(x); wrong != 0 {
		return c.malformed(wrong, fmt.Errorf("a %s was due", x.typ+1))
	}
	return &TimeoutError{
		Peer: c.cfg.Peer.String(), Message: x.typ.String(), Session: x.session,
		Tries: x.sent, Waited: waited.Round(time.Millisecond),
	}
}

func (c *Client) retransmission() pfcp.Retransmission {
	return pfcp.Retransmission{T1: c.cfg.T1, Tries: c.cfg.N1}
}

func (c *Client) transmit(q request, pending *pfcp.Pending) error {
	if pending.Sent > 1 {
		c.stats.retransmitted.Add(1)
	}
	if err := c.send(q.bytes, c.cfg.Peer); err != nil {
		return fmt.Errorf("send %s to UPF %s: %w; check the N4 link and its addresses", q.typ, c.cfg.Peer, err)
	}
	return nil
}

// await waits for the answer until the time given; then it returns neither an
// answer nor an error.
func (c *Client) await(ctx context.Context, q request, answer <-chan []byte, until time.Time) ([]byte, error) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case b := <-answer:
		return b, nil
	case <-timer.C:
		return nil, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("%s to UPF %s: %w", q.typ, c.cfg.Peer, ctx.Err())
	case <-c.done:
		return nil, fmt.Errorf("%s to UPF %s: %w", q.typ, c.cfg.Peer, net.ErrClosed)
	}
}

// send writes a datagram. Errors that a later try may not meet count as loss.
func (c *Client) send(b []byte, to net.Addr) error {
	c.stats.sent.Add(1)
	_, err := c.cfg.Conn.WriteTo(b, to)
	if errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	return err
}
