package smf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// mailbox is the Waiter of Exchange.
type mailbox chan received

// received is an answer, with a copy of its IEs.
type received struct {
	header pfcp.Header
	ies    []byte
	from   netip.AddrPort
}

// Answered copies the answer: the reader uses its buffer again.
func (m mailbox) Answered(h pfcp.Header, ies []byte, from netip.AddrPort, _ time.Time) {
	m <- received{h, append([]byte(nil), ies...), from}
}

// Unanswered is not called: Exchange gives up by itself.
func (mailbox) Unanswered() {}

// Exchange sends a request until it is answered, and reads the answer, whatever it says. It fails with
// *TimeoutError, also at the context's deadline, *MalformedError, the context's other error, or that of the connection.
func (c *exchange) Exchange(ctx context.Context, q Request, by pfcp.Retransmission) (Message, error) {
	answer, err := c.transact(ctx, q, by)
	if err != nil {
		return Message{}, err
	}
	return c.readAnswer(answer, q.Type+1)
}

// ask is Exchange for a request that is to be accepted; otherwise it fails with *RejectedError.
func (c *exchange) ask(ctx context.Context, q Request) (Message, error) {
	m, err := c.Exchange(ctx, q, c.retransmission())
	if err != nil {
		return m, err
	}
	c.checkSEID(q, m)
	if !m.Accepted() && m.Type != pfcp.HeartbeatResponse {
		return m, &RejectedError{
			Peer: c.cfg.Peer.String(), Message: q.Type.String(), Session: q.Session,
			Cause: m.Cause, OffendingIE: m.Offending, FailedRule: m.Failed,
		}
	}
	return m, nil
}

// checkSEID compares an answer's SEID with the one that we gave the session. Where a request is rejected
// it may be 0, as the UPF may not know the session (TS 29.244 clause 7.2.2.4.2).
func (c *exchange) checkSEID(q Request, m Message) {
	got := m.Header.SEID
	switch {
	case q.CPSEID == 0 || got == q.CPSEID:
	case got != 0:
		c.findings.add(FindingSEIDWrong, "SEID %#x in the %s of %s, whose SEID is %#x", got, m.Type, q.Session, q.CPSEID)
	case m.Accepted():
		c.findings.add(FindingSEIDMissing, "the %s of %s, whose SEID is %#x", m.Type, q.Session, q.CPSEID)
	}
}

// readAnswer reads an answer and checks what the client relies on. An observer judges by itself whether
// the version is supported and whether a cause is there.
func (c *exchange) readAnswer(answer received, want pfcp.MessageType) (m Message, err error) {
	typ := answer.header.Type
	if typ == pfcp.VersionNotSupported {
		if c.cfg.Observe {
			return Message{Header: answer.header, From: answer.from}, nil
		}
		return m, fmt.Errorf("UPF %s does not support PFCP version 1, the only one there is; "+
			"check that a UPF listens there", c.cfg.Peer)
	}
	err = m.Read(answer.header, answer.ies, Strict)
	m.From = answer.from
	switch {
	case err != nil:
		return m, c.malformed(typ, err)
	case typ != want:
		return m, c.malformed(typ, fmt.Errorf("%s was due", want))
	case m.Cause == 0 && typ != pfcp.HeartbeatResponse && !c.cfg.Observe:
		return m, c.malformed(want, errors.New("the mandatory IE Cause is missing"))
	}
	return m, nil
}

func (c *peering) malformed(typ pfcp.MessageType, reason error) error {
	c.stats.malformed.Add(1)
	return &MalformedError{Peer: c.cfg.Peer.String(), Message: typ.String(), Reason: reason}
}

// transact sends the request until it is answered (TS 29.244 clause 6.4).
func (c *exchange) transact(ctx context.Context, q Request, by pfcp.Retransmission) (received, error) {
	answer := make(mailbox, 1)
	t := &Transaction{Request: q, by: by, waiter: answer, asked: true}
	t.Bytes = nil // the writer's, which is used again
	c.transactions.begin(t)
	defer c.transactions.end(t)
	for began, step := time.Now(), pfcp.Send; ; step = c.transactions.next(t, time.Now()) {
		switch step {
		case pfcp.GiveUp:
			return received{}, c.unanswered(t, time.Since(began))
		case pfcp.Send:
			if t.pending.Sent > 1 {
				c.stats.retransmitted.Add(1)
			}
			if err := c.Send(q.Bytes); err != nil {
				return received{}, fmt.Errorf("send %s to UPF %s: %w; check the N4 link and its addresses", q.Type, c.cfg.Peer, err)
			}
		}
		got, err := c.await(ctx, q, answer, t.pending.Due)
		if errors.Is(err, context.DeadlineExceeded) { // as many tries as there was time for
			return received{}, c.unanswered(t, time.Since(began))
		}
		if err != nil {
			return received{}, err
		}
		if got.header.Type != 0 {
			c.noteRepeated(t, time.Since(began))
			return got, nil
		}
	}
}

// noteRepeated finds that an answer was lost, or slow. Before there is an association the UPF may not
// have started yet.
func (c *exchange) noteRepeated(t *Transaction, took time.Duration) {
	if t.pending.Sent > 1 && c.isAssociated() {
		c.findings.add(FindingRepeated, "the %s, sent %d times in %v",
			&t.Request, t.pending.Sent, took.Round(time.Millisecond))
	}
}

// unanswered is the error of a request to which no answer came, or only answers of another type.
func (c *exchange) unanswered(t *Transaction, waited time.Duration) error {
	if wrong := c.transactions.end(t); wrong != 0 {
		return c.malformed(wrong, fmt.Errorf("%s was due", t.Type+1))
	}
	return &TimeoutError{
		Peer: c.cfg.Peer.String(), Message: t.Type.String(), Session: t.Session,
		Tries: t.pending.Sent, Waited: waited.Round(time.Millisecond),
	}
}

func (c *peering) retransmission() pfcp.Retransmission {
	return pfcp.Retransmission{T1: c.cfg.T1, Tries: c.cfg.N1}
}

// await waits for the answer until a time; then it returns neither an answer nor an error.
func (c *exchange) await(ctx context.Context, q Request, answer mailbox, until time.Time) (received, error) {
	timer := time.NewTimer(time.Until(until))
	defer timer.Stop()
	select {
	case got := <-answer:
		return got, nil
	case <-timer.C:
		return received{}, nil
	case <-ctx.Done():
		return received{}, fmt.Errorf("%s to UPF %s: %w", q.Type, c.cfg.Peer, ctx.Err())
	case <-c.done:
		return received{}, fmt.Errorf("%s to UPF %s: %w", q.Type, c.cfg.Peer, net.ErrClosed)
	}
}
