// Package ask sends the UP function's own requests, and sends them again until they are answered.
package ask

import (
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// Requests are the server's own, which it repeats until they are answered: reports, and the
// set-up and release of associations. The lock is held for no call.
type Requests struct {
	Numbers pfcp.Sequence // of heartbeats, too
	*tally.Tally

	mu       sync.Mutex
	Waiting  map[uint32]*waiting               // by sequence number
	Transmit func(b []byte, to netip.AddrPort) // nil before Serve
}

func New(t *tally.Tally) *Requests { return &Requests{Tally: t, Waiting: map[uint32]*waiting{}} }

// waiting is a request that waits for its answer.
type waiting struct {
	to      netip.AddrPort
	message []byte
	pending pfcp.Pending
	Follow
}

// Follow is what happens when a request has its answer, or is given up; each is nil
// when nothing does.
type Follow struct {
	Answered func(from request.Source, ies []byte)
	Lost     func(now time.Time)
}

func (f *Follow) giveUp(now time.Time) {
	if f.Lost != nil {
		f.Lost(now)
	}
}

// maxRequests bounds those that wait: a CP function that answers nothing must not fill
// the memory.
const maxRequests = 1 << 16

// Begin sets the function that sends requests.
func (l *Requests) Begin(transmit func(b []byte, to netip.AddrPort)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Transmit = transmit
}

// Ask sends a request to a CP function, and again until it is answered, at the times that h
// gives. Port 0 is h's, at which CP functions listen.
func (l *Requests) Ask(to netip.AddrPort, h association.Heartbeat, now time.Time, build func(sequence uint32) []byte, then Follow) {
	if to.Port() == 0 {
		to = netip.AddrPortFrom(to.Addr(), h.Port)
	}
	sequence := l.Numbers.Next()
	r := &waiting{to: to, message: build(sequence), Follow: then}
	transmit, ok := l.add(r, sequence, h, now)
	switch {
	case !ok:
		r.giveUp(now)
	case transmit != nil:
		transmit(r.message, r.to)
	}
}

func (l *Requests) add(r *waiting, sequence uint32, h association.Heartbeat, now time.Time) (transmit func([]byte, netip.AddrPort), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.Waiting) >= maxRequests {
		return nil, false
	}
	r.pending.Next(now, h.Retransmission())
	l.Waiting[sequence] = r
	return l.Transmit, true
}

// Datagram is one to be sent.
type Datagram struct {
	To      netip.AddrPort
	Message []byte
}

// Due lists those to send again now. Those that were sent often enough are given up.
func (l *Requests) Due(h association.Heartbeat, now time.Time) []Datagram {
	again, lost := l.take(h, now)
	for _, r := range lost {
		r.giveUp(now)
	}
	return again
}

func (l *Requests) take(h association.Heartbeat, now time.Time) (again []Datagram, lost []*waiting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for sequence, r := range l.Waiting {
		switch r.pending.Next(now, h.Retransmission()) {
		case pfcp.Send:
			again = append(again, Datagram{r.to, r.message})
		case pfcp.GiveUp:
			delete(l.Waiting, sequence)
			lost = append(lost, r)
		}
	}
	return again, lost
}

// Settled takes the answer to one of the requests; false when none waits for it.
func (l *Requests) Settled(from request.Source, ies []byte) bool {
	l.mu.Lock()
	r := l.Waiting[from.Sequence]
	if r == nil || r.to.Addr() != from.Peer.Addr() || from.Type != r.answerType() {
		l.mu.Unlock()
		return false
	}
	delete(l.Waiting, from.Sequence)
	l.mu.Unlock()
	if from.Type == pfcp.SessionReportResponse {
		l.Count(func(c *tally.Counters) { c.ReportsAnswered++ })
	}
	if r.Answered != nil {
		r.Answered(from, ies)
	}
	return true
}

func (r *waiting) answerType() pfcp.MessageType { return pfcp.MessageType(r.message[1]) + 1 }
