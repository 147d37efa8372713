package smf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// Request is a message that asks for an answer.
type Request struct {
	Type     pfcp.MessageType
	Sequence uint32
	CPSEID   uint64 // ours, which the answer must have; 0 for a node related message
	Bytes    []byte
	Session  *Session // for messages; nil when it is about no session of a load
}

// String names the request as messages do.
func (q *Request) String() string {
	if q.Session == nil {
		return q.Type.String()
	}
	return fmt.Sprintf("%s of %s", q.Type, q.Session)
}

// Waiter is told what became of a request. One of its methods is called, once.
type Waiter interface {
	// Answered is given the answer, and when the kernel took it. The reader of the connection
	// calls it, so it must not block, and it keeps nothing of ies.
	Answered(h pfcp.Header, ies []byte, at time.Time)
	// Unanswered says that N1 transmissions were not enough. Repeat calls it.
	Unanswered()
}

// Transaction is a request and what became of it so far (TS 29.244 clause 6.4). An owner that reuses
// its memory does so after the Waiter was told.
type Transaction struct {
	Request
	pending pfcp.Pending
	waiter  Waiter // nil when nobody waits any more
	asked   bool   // by Exchange, which repeats it; the others are repeated by Repeat
	answers int
	wrong   pfcp.MessageType // of the latest answer with a wrong type; 0: none
}

// Transmissions is how often the request was sent.
func (t *Transaction) Transmissions() int { return t.pending.Sent }

// transactions matches answers to requests by their sequence numbers. Requests that were answered are
// remembered for a while, so that further answers are found to be wrong. It may be used from several
// goroutines.
type transactions struct {
	mu         sync.Mutex
	bySequence map[uint32]*Transaction
}

// remembered is how many requests are remembered, by sequence number: more than any client sends within
// a retransmission.
const remembered = 1 << 12

// begin registers a transaction and counts its first transmission.
func (ts *transactions) begin(t *Transaction, by pfcp.Retransmission) {
	t.pending.Next(time.Now(), by)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.bySequence[t.Sequence] = t
	old := (t.Sequence - remembered) & pfcp.MaxSequence
	if x := ts.bySequence[old]; x != nil && x.waiter == nil {
		delete(ts.bySequence, old)
	}
}

// next says what to do about a transaction at a time, and counts a transmission.
func (ts *transactions) next(t *Transaction, now time.Time, by pfcp.Retransmission) pfcp.Step {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.pending.Next(now, by)
}

// end stops waiting for the answer. It returns the type of an answer that was not the request's, 0 when
// there was none.
func (ts *transactions) end(t *Transaction) pfcp.MessageType {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t.waiter = nil
	return t.wrong
}

// due counts a transmission of each transaction that Repeat is to send again, and gives the requests. It
// ends those that were sent often enough, and gives their waiters.
func (ts *transactions) due(now time.Time, by pfcp.Retransmission) (again [][]byte, over []Waiter) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for sequence, t := range ts.bySequence {
		if t.asked {
			continue
		}
		switch t.pending.Next(now, by) {
		case pfcp.Send:
			again = append(again, t.Bytes)
		case pfcp.GiveUp:
			delete(ts.bySequence, sequence)
			over = append(over, t.waiter)
		}
	}
	return again, over
}

// waits reports whether a request waits for an answer of this kind.
func (ts *transactions) waits(h pfcp.Header) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.bySequence[h.Sequence]
	return t != nil && t.waiter != nil && h.Type == t.Type+1
}

// waitsForType reports whether any request waits whose answer has the type.
func (ts *transactions) waitsForType(typ pfcp.MessageType) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.bySequence {
		if t.waiter != nil && t.Type+1 == typ {
			return true
		}
	}
	return false
}

// finding is what is wrong with an answer apart from its IEs; the zero value: nothing.
type finding struct{ code, example string }

// answered gives the waiter for an answer, nil when nobody waits for it. An observer takes answers of any type.
func (ts *transactions) answered(h pfcp.Header, observe bool) (w Waiter, f finding) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.bySequence[h.Sequence]
	switch {
	case t == nil:
		return nil, finding{FindingUnasked, fmt.Sprintf("a %s with sequence number %d", h.Type, h.Sequence)}
	case h.Type != t.Type+1 && h.Type != pfcp.VersionNotSupported && !observe:
		t.wrong = h.Type
		return nil, finding{FindingType, fmt.Sprintf("a %s to the %s", h.Type, &t.Request)}
	}
	if t.answers++; t.answers > t.pending.Sent {
		f = finding{FindingDoubled, fmt.Sprintf("answer %d to the %s, which was sent %d times", t.answers, &t.Request, t.pending.Sent)}
	}
	w, t.waiter = t.waiter, nil
	if !t.asked { // its owner may use it again
		delete(ts.bySequence, h.Sequence)
	}
	return w, f
}

// match hands an answer to whoever waits for it and notes what is wrong with it.
func (c *Client) match(h pfcp.Header, ies []byte, from netip.AddrPort, at time.Time) {
	w, f := c.transactions.answered(h, c.cfg.Observe)
	if f.code == FindingUnasked && c.transactions.waitsForType(h.Type) {
		f.code = FindingSequence
	}
	if f.code != "" {
		c.findings.add(f.code, "%s", f.example)
	}
	if w == nil {
		c.stats.unmatched.Add(1)
		if tap := c.tap.Load(); tap != nil && tap.Unasked != nil {
			tap.Unasked(h, ies)
		}
		return
	}
	if from.Port() != c.peer.Port() {
		c.findings.add(FindingPort, "a %s from %s instead of %s", h.Type, from, c.cfg.Peer)
	}
	w.Answered(h, ies, at)
}

// Begin registers a request, of whose bytes it keeps a copy, and counts its first transmission, which the
// caller makes by Send. Repeat makes the others.
func (c *Client) Begin(t *Transaction, q Request, by pfcp.Retransmission, w Waiter) {
	q.Bytes = append([]byte(nil), q.Bytes...)
	*t = Transaction{Request: q, waiter: w}
	c.transactions.begin(t, by)
}

// Repeat sends each request of Begin again whose T1 has passed. Those that were sent by.Tries times are
// given up: their waiters are told.
func (c *Client) Repeat(by pfcp.Retransmission) (repeated, lost int, err error) {
	again, over := c.transactions.due(time.Now(), by)
	for _, w := range over {
		w.Unanswered()
	}
	for i, b := range again {
		if i%256 == 255 { // leave room in the UPF's socket
			time.Sleep(5 * time.Millisecond)
		}
		c.stats.retransmitted.Add(1)
		if err := c.Send(b); err != nil {
			return i, len(over), err
		}
	}
	return len(again), len(over), nil
}

// mailbox is the Waiter of Exchange.
type mailbox chan received

// received is an answer, with a copy of its IEs.
type received struct {
	header pfcp.Header
	ies    []byte
}

// Answered copies the answer: the reader uses its buffer again.
func (m mailbox) Answered(h pfcp.Header, ies []byte, _ time.Time) {
	m <- received{h, append([]byte(nil), ies...)}
}

// Unanswered is not called: Exchange gives up by itself.
func (mailbox) Unanswered() {}

// Exchange sends a request until it is answered, and reads the answer, whatever it says. It fails with
// *TimeoutError, *MalformedError, the context's error, or that of the connection.
func (c *Client) Exchange(ctx context.Context, q Request, by pfcp.Retransmission) (Message, error) {
	answer, err := c.transact(ctx, q, by)
	if err != nil {
		return Message{}, err
	}
	return c.readAnswer(answer, q.Type+1)
}

// ask is Exchange for a request that is to be accepted; otherwise it fails with *RejectedError.
func (c *Client) ask(ctx context.Context, q Request) (Message, error) {
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
func (c *Client) checkSEID(q Request, m Message) {
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
func (c *Client) readAnswer(answer received, want pfcp.MessageType) (m Message, err error) {
	typ := answer.header.Type
	if typ == pfcp.VersionNotSupported {
		if c.cfg.Observe {
			return Message{Header: answer.header}, nil
		}
		return m, fmt.Errorf("UPF %s does not support PFCP version 1, the only one there is; check that a UPF listens there", c.cfg.Peer)
	}
	err = m.Read(answer.header, answer.ies, Strict)
	switch {
	case err != nil:
		return m, c.malformed(typ, err)
	case typ != want:
		return m, c.malformed(typ, fmt.Errorf("a %s was due", want))
	case m.Cause == 0 && typ != pfcp.HeartbeatResponse && !c.cfg.Observe:
		return m, c.malformed(want, errors.New("the mandatory IE Cause is missing"))
	}
	return m, nil
}

func (c *Client) malformed(typ pfcp.MessageType, reason error) error {
	c.stats.malformed.Add(1)
	return &MalformedError{Peer: c.cfg.Peer.String(), Message: typ.String(), Reason: reason}
}

// transact sends the request until it is answered (TS 29.244 clause 6.4).
func (c *Client) transact(ctx context.Context, q Request, by pfcp.Retransmission) (received, error) {
	answer := make(mailbox, 1)
	t := &Transaction{Request: q, waiter: answer, asked: true}
	t.Bytes = nil // the writer's, which is used again
	c.transactions.begin(t, by)
	defer c.transactions.end(t)
	for began, step := time.Now(), pfcp.Send; ; step = c.transactions.next(t, time.Now(), by) {
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
func (c *Client) noteRepeated(t *Transaction, took time.Duration) {
	if t.pending.Sent > 1 && c.isAssociated() {
		c.findings.add(FindingRepeated, "the %s, sent %d times in %v", &t.Request, t.pending.Sent, took.Round(time.Millisecond))
	}
}

// unanswered is the error of a request to which no answer came, or only answers of another type.
func (c *Client) unanswered(t *Transaction, waited time.Duration) error {
	if wrong := c.transactions.end(t); wrong != 0 {
		return c.malformed(wrong, fmt.Errorf("a %s was due", t.Type+1))
	}
	return &TimeoutError{
		Peer: c.cfg.Peer.String(), Message: t.Type.String(), Session: t.Session,
		Tries: t.pending.Sent, Waited: waited.Round(time.Millisecond),
	}
}

func (c *Client) retransmission() pfcp.Retransmission {
	return pfcp.Retransmission{T1: c.cfg.T1, Tries: c.cfg.N1}
}

// await waits for the answer until a time; then it returns neither an answer nor an error.
func (c *Client) await(ctx context.Context, q Request, answer mailbox, until time.Time) (received, error) {
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
