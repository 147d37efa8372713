package smf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
	"time"
)

// request is a message that waits for an answer.
type request struct {
	typ     uint8
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
	if r.cause != causeAccepted && r.typ != msgHeartbeatResponse {
		return r, &RejectedError{
			Peer: c.cfg.Peer.String(), Message: messageName(q.typ), Session: q.session,
			Cause: r.cause, OffendingIE: r.offending, FailedRule: r.failed,
		}
	}
	return r, nil
}

// readAnswer decodes an answer and checks it for what the code relies on.
func (c *Client) readAnswer(b []byte, want uint8) (reply, error) {
	h, ies, err := parseHeader(b)
	if err != nil {
		return reply{}, c.malformed(want, err)
	}
	if h.typ == msgVersionNotSupported {
		return reply{}, fmt.Errorf("UPF %s does not support PFCP version %d, the only one there is; check that a UPF listens there",
			c.cfg.Peer, pfcpVersion)
	}
	r, err := decode(h, ies)
	switch {
	case err != nil:
		return reply{}, c.malformed(want, err)
	case r.typ != want:
		return reply{}, c.malformed(r.typ, fmt.Errorf("a %s was due", messageName(want)))
	case r.cause == 0 && r.typ != msgHeartbeatResponse:
		return reply{}, c.malformed(want, errors.New("the mandatory IE Cause is missing"))
	}
	return r, nil
}

func (c *Client) malformed(typ uint8, reason error) error {
	c.stats.malformed.Add(1)
	return &MalformedError{Peer: c.cfg.Peer.String(), Message: messageName(typ), Reason: reason}
}

// transact sends the request each T1, at most N1 times, and returns the
// datagram that answers it.
func (c *Client) transact(ctx context.Context, q request) ([]byte, error) {
	answer := c.expect(q.seq)
	defer c.forget(q.seq)
	begin := time.Now()
	timer := time.NewTimer(c.cfg.T1)
	defer timer.Stop()
	for try := range c.cfg.N1 {
		if try > 0 {
			c.stats.retransmitted.Add(1)
			timer.Reset(c.cfg.T1)
		}
		if err := c.send(q.bytes, c.cfg.Peer); err != nil {
			return nil, fmt.Errorf("send %s to UPF %s: %w; check the N4 link and its addresses",
				messageName(q.typ), c.cfg.Peer, err)
		}
		select {
		case b := <-answer:
			return b, nil
		case <-timer.C:
		case <-ctx.Done():
			return nil, fmt.Errorf("%s to UPF %s: %w", messageName(q.typ), c.cfg.Peer, ctx.Err())
		case <-c.done:
			return nil, fmt.Errorf("%s to UPF %s: %w", messageName(q.typ), c.cfg.Peer, net.ErrClosed)
		}
	}
	return nil, &TimeoutError{
		Peer: c.cfg.Peer.String(), Message: messageName(q.typ), Session: q.session,
		Tries: c.cfg.N1, Waited: time.Since(begin).Round(time.Millisecond),
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
