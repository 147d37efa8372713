package smf

import (
	"fmt"
	"math"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
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
	// Answered is given the answer, where it came from, and when the kernel took it. The reader of the connection
	// calls it, so it must not block, and it keeps nothing of ies.
	Answered(h pfcp.Header, ies []byte, from netip.AddrPort, at time.Time)
	// Unanswered says that N1 transmissions were not enough. Repeat calls it.
	Unanswered()
}

// Transaction is a request and what became of it so far (TS 29.244 clause 6.4). An owner that reuses
// its memory does so after the Waiter was told.
type Transaction struct {
	Request
	by      pfcp.Retransmission
	pending pfcp.Pending
	waiter  Waiter
	asked   bool             // by Exchange, which repeats it; the others are repeated by Repeat
	wrong   pfcp.MessageType // of the latest answer with a wrong type; 0: none
}

// Transmissions is how often the request was sent.
func (t *Transaction) Transmissions() int { return t.pending.Sent }

// transactions matches answers to requests by their sequence numbers. Requests that have ended are
// remembered for a while, so that further answers are judged. It may be used from several goroutines.
type transactions struct {
	mu         sync.Mutex
	bySequence map[uint32]*Transaction // those that wait for an answer
	recent     []ended                 // those that have ended, by sequence number modulo remembered
}

// remembered is how many requests are remembered: more than any client sends within a retransmission.
const remembered = 1 << 12

// ended is a request that was answered or given up. It is small, as each client has many.
type ended struct {
	session       *Session
	sequence      uint32
	typ           pfcp.MessageType
	sent, answers uint8
}

// request is the request without its bytes.
func (e *ended) request() *Request {
	return &Request{Type: e.typ, Sequence: e.sequence, Session: e.session}
}

func newTransactions() transactions {
	return transactions{bySequence: map[uint32]*Transaction{}, recent: make([]ended, remembered)}
}

// begin registers a transaction and counts its first transmission.
func (ts *transactions) begin(t *Transaction) {
	t.pending.Next(time.Now(), t.by)
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.bySequence[t.Sequence] = t
}

// finish remembers a transaction that has ended; the lock is held.
func (ts *transactions) finish(t *Transaction, answers uint8) {
	delete(ts.bySequence, t.Sequence)
	ts.recent[t.Sequence%remembered] = ended{t.Session, t.Sequence, t.Type, uint8(min(t.pending.Sent, math.MaxUint8)), answers}
}

// next says what to do about a transaction at a time, and counts a transmission.
func (ts *transactions) next(t *Transaction, now time.Time) pfcp.Step {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	return t.pending.Next(now, t.by)
}

// end stops waiting for the answer. It returns the type of an answer that was not the request's, 0 when
// there was none.
func (ts *transactions) end(t *Transaction) pfcp.MessageType {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	if ts.bySequence[t.Sequence] == t {
		ts.finish(t, 0)
	}
	return t.wrong
}

// due counts a transmission of each transaction that Repeat is to send again, and gives the requests. It
// ends those that were sent often enough, and gives their waiters.
func (ts *transactions) due(now time.Time) (again [][]byte, over []Waiter) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.bySequence {
		if t.asked {
			continue
		}
		switch t.pending.Next(now, t.by) {
		case pfcp.Send:
			again = append(again, t.Bytes)
		case pfcp.GiveUp:
			ts.finish(t, 0)
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
	return t != nil && h.Type == t.Type+1
}

// waitsForType reports whether any request waits whose answer has the type.
func (ts *transactions) waitsForType(typ pfcp.MessageType) bool {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range ts.bySequence {
		if t.Type+1 == typ {
			return true
		}
	}
	return false
}

// finding is what is wrong with an answer apart from its IEs; the zero value: nothing.
type finding struct{ code, example string }

// answered gives the waiter for an answer, nil when nobody waits for it. An observer takes answers of any
// type.
func (ts *transactions) answered(h pfcp.Header, observe bool) (Waiter, finding) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.bySequence[h.Sequence]
	switch {
	case t == nil:
		return nil, ts.recent[h.Sequence%remembered].further(h)
	case !takes(t.Type, h.Type) && !observe:
		t.wrong = h.Type
		return nil, wrongType(&t.Request, h.Type)
	}
	ts.finish(t, 1)
	return t.waiter, finding{}
}

// takes reports whether an answer to a request can have the type.
func takes(request, answer pfcp.MessageType) bool {
	return answer == request+1 || answer == pfcp.VersionNotSupported
}

func wrongType(q *Request, answer pfcp.MessageType) finding {
	return finding{FindingType, fmt.Sprintf("a %s to the %s", answer, q)}
}

// further judges an answer for which nobody waits. A UPF may answer each transmission of a request.
func (e *ended) further(h pfcp.Header) finding {
	switch {
	case e.typ == 0 || e.sequence != h.Sequence:
		return finding{FindingUnasked, fmt.Sprintf("a %s with sequence number %d", h.Type, h.Sequence)}
	case !takes(e.typ, h.Type):
		return wrongType(e.request(), h.Type)
	case e.answers < e.sent:
		e.answers++
		return finding{}
	}
	e.answers += min(1, math.MaxUint8-e.answers)
	return finding{FindingDoubled, fmt.Sprintf("answer %d to the %s, which was sent %d times", e.answers, e.request(), e.sent)}
}

// match hands an answer to whoever waits for it and notes what is wrong with it.
func (c *exchange) match(h pfcp.Header, ies []byte, from netip.AddrPort, at time.Time) {
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
	w.Answered(h, ies, unmapped(from), at)
}

// Begin registers a request, of whose bytes it keeps a copy, and counts its first transmission, which the
// caller makes by Send. Repeat makes the others.
func (c *exchange) Begin(t *Transaction, q Request, by pfcp.Retransmission, w Waiter) {
	q.Bytes = append([]byte(nil), q.Bytes...)
	*t = Transaction{Request: q, by: by, waiter: w}
	c.transactions.begin(t)
}

// Repeat sends each request of Begin again whose T1 has passed. Those that were sent as often as Begin was
// told are given up: their waiters are told.
func (c *exchange) Repeat() (repeated, lost int, err error) {
	again, over := c.transactions.due(time.Now())
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
