package pfcp

import (
	"sync/atomic"
	"time"
)

// Retransmission says how long the sender of a request waits for its answer
// (TS 29.244 clause 6.4).
type Retransmission struct {
	T1    time.Duration // from one transmission to the next, and after the last
	Tries int           // transmissions in all, 1 at least: N1 and the first
}

// Step is what the sender of a request is to do next.
type Step uint8

// The steps.
const (
	Wait   Step = iota // nothing before Pending.Due
	Send               // transmit the request, for the first time or again
	GiveUp             // the peer has not answered any transmission
)

// Pending is a request that is sent until it is answered. It holds no timer:
// the caller says what time it is. The zero value was not sent yet.
type Pending struct {
	Sent int       // transmissions so far
	Due  time.Time // when the next step is
}

// Next returns what to do now. When that is Send, the transmission is counted.
func (p *Pending) Next(now time.Time, by Retransmission) Step {
	switch {
	case p.Sent > 0 && now.Before(p.Due):
		return Wait
	case p.Sent > 0 && p.Sent >= by.Tries:
		return GiveUp
	}
	p.Sent++
	p.Due = now.Add(by.T1)
	return Send
}

// Sequence gives sequence numbers to requests. It may be used from several
// goroutines.
type Sequence struct{ last atomic.Uint32 }

// Start makes first the next number, modulo 2^24.
func (s *Sequence) Start(first uint32) { s.last.Store(first - 1) }

// Next returns the next number.
func (s *Sequence) Next() uint32 { return s.last.Add(1) & MaxSequence }
