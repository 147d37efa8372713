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
	if r.cause != pfcp.Cause(ie.CauseRequestAccepted) && r.Type != pfcp.HeartbeatResponse {
		return r, &RejectedError{
			Peer: c.cfg.Peer.String(), Message: q.typ.String(), Session: q.session,
			Cause: r.cause, OffendingIE: r.offending, FailedRule: r.failed,
		}
	}
	return r, nil
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
	answer := c.expect(q.seq)
	defer c.forget(q.seq)
	var pending pfcp.Pending
	begin := time.Now()
	for {
		switch pending.Next(time.Now(), c.retransmission()) {
		case pfcp.GiveUp:
			return nil, &TimeoutError{
				Peer: c.cfg.Peer.String(), Message: q.typ.String(), Session: q.session,
				Tries: pending.Sent, Waited: time.Since(begin).Round(time.Millisecond),
			}
		case pfcp.Send:
			if err := c.transmit(q, &pending); err != nil {
				return nil, err
			}
		}
		if b, err := c.await(ctx, q, answer, pending.Due); b != nil || err != nil {
			return b, err
		}
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

// expect registers the caller for the answer to a sequence number.
func (c *Client) expect(seq uint32) <-chan []byte {
	answer := make(chan []byte, 1)
	c.mu.Lock()
	c.waiting[seq] = answer
	c.mu.Unlock()
	return answer
}

func (c *Client) forget(seq uint32) {
	c.mu.Lock()
	delete(c.waiting, seq)
	c.mu.Unlock()
}

// deliver hands an answer to whom it is for, once; the channel has room for it.
func (c *Client) deliver(seq uint32, datagram []byte) bool {
	c.mu.Lock()
	answer, ok := c.waiting[seq]
	delete(c.waiting, seq)
	c.mu.Unlock()
	if ok {
		answer <- append([]byte(nil), datagram...)
	}
	return ok
}
