package smf

import (
	"fmt"
	"net"
	"sync"

	"github.com/upflab/upflab/pfcp"
)

// asked remembers the latest requests, so that an answer can be held against
// what was asked. It may be used from several goroutines.
type asked struct {
	mu    sync.Mutex
	bySeq map[uint32]*exchange
}

// remembered is how many requests, by sequence number, are remembered: more
// than any client sends within a retransmission.
const remembered = 1 << 12

// exchange is a request and what came of it.
type exchange struct {
	request
	sent, answers int
	wrong         pfcp.MessageType // of the latest answer with a wrong type
	answer        chan []byte      // nil when none is awaited
}

// begin registers a request, whose answer goes to the channel.
func (a *asked) begin(q request) (*exchange, <-chan []byte) {
	answer := make(chan []byte, 1)
	x := &exchange{request: q, answer: answer}
	x.bytes = nil // the builder's
	a.mu.Lock()
	defer a.mu.Unlock()
	a.bySeq[q.seq] = x
	delete(a.bySeq, (q.seq-remembered)&pfcp.MaxSequence)
	return x, answer
}

// transmitted counts a transmission, before it is made.
func (a *asked) transmitted(x *exchange) {
	a.mu.Lock()
	x.sent++
	a.mu.Unlock()
}

// end stops waiting for the answer. It returns the type of an
// answer that was not the request's, 0 when there was none.
func (a *asked) end(x *exchange) pfcp.MessageType {
	a.mu.Lock()
	defer a.mu.Unlock()
	x.answer = nil
	return x.wrong
}

// waiting reports whether a request waits for an answer of this kind.
func (a *asked) waiting(h pfcp.Header) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.bySeq[h.Sequence]
	return x != nil && x.answer != nil && h.Type == x.typ+1
}

// waitingAny reports whether a request waits whose answer has the type.
func (a *asked) waitingAny(typ pfcp.MessageType) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, x := range a.bySeq {
		if x.answer != nil && x.typ+1 == typ {
			return true
		}
	}
	return false
}

// fault is what an answer is found to be, apart from its IEs.
type fault struct{ code, example string }

// take hands an answer to whoever waits for it. It reports whether anybody did.
func (a *asked) take(h pfcp.Header, datagram []byte) (taken bool, f fault) {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.bySeq[h.Sequence]
	switch {
	case x == nil:
		return false, fault{code: FindingUnasked, example: fmt.Sprintf("a %s with sequence number %d", h.Type, h.Sequence)}
	case h.Type != x.typ+1 && h.Type != pfcp.VersionNotSupported:
		x.wrong = h.Type
		return false, fault{FindingType, fmt.Sprintf("a %s to the %s", h.Type, x)}
	}
	if x.answers++; x.answers > x.sent {
		f = fault{FindingDoubled, fmt.Sprintf("answer %d to the %s, which was sent %d times", x.answers, x, x.sent)}
	}
	if x.answer == nil {
		return false, f
	}
	x.answer <- append([]byte(nil), datagram...)
	x.answer = nil
	return true, f
}

// String names the request as messages do.
func (q request) String() string {
	if q.session == nil {
		return q.typ.String()
	}
	return fmt.Sprintf("%s of %s", q.typ, q.session)
}

// match hands an answer over and notes what is wrong with it.
func (c *Client) match(h pfcp.Header, datagram []byte, from net.Addr) {
	taken, f := c.asked.take(h, datagram)
	if !taken {
		c.stats.unmatched.Add(1)
	}
	if f.code == FindingUnasked && c.asked.waitingAny(h.Type) {
		f.code = FindingSequence
	}
	if f.code != "" {
		c.findings.add(f.code, "%s", f.example)
	}
	if taken && from.String() != c.cfg.Peer.String() {
		c.findings.add(FindingPort, "a %s from %s instead of %s", h.Type, from, c.cfg.Peer)
	}
}
