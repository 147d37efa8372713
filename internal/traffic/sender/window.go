package sender

import (
	"sync"

	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/window"
)

// windows are what a source counts by windows.
type windows struct {
	on bool

	mu             sync.Mutex // the sending thread writes, another folds
	ring           *window.Ring[window.Sent, *window.Sent]
	plan           *plan // of the trial; nil: it has not begun
	kept, excluded traffic.Outcome
	uncounted      uint64 // packets that left after their window was excluded
}

// flowsMax is how many flows a window tells apart.
const flowsMax = len(window.Sent{}.Flows)

// begin forgets the last trial.
func (w *windows) begin(flows int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plan = nil
	if w.on {
		w.ring.Reset()
		w.kept.Reset(flows)
		w.excluded.Reset(flows)
		w.uncounted = 0
	}
}

// open says when the trial is.
func (w *windows) open(p *plan) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.plan = p
}

// book books something about a slot that was due at a time, ns, unless its window was
// excluded already.
func (w *windows) book(due uint64, what func(*window.Sent)) (booked bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	s := w.ring.At(due)
	if s != nil {
		what(s)
	}
	return s != nil
}

func (w *windows) skip(due uint64) {
	if w.on {
		w.book(due, func(s *window.Sent) { s.Skipped++ })
	}
}

// stall books one that began at a time.
func (w *windows) stall(at uint64) {
	if w.on {
		w.book(at, func(s *window.Sent) { s.Stalls++ })
	}
}

func (w *windows) late(due, ns uint64) {
	if !w.on {
		return
	}
	w.book(due, func(s *window.Sent) {
		s.Lateness.Add(ns)
		if ns > lateNS {
			s.Late++
		}
	})
}

func (w *windows) sent(due uint64, flow, bytes int) {
	if !w.on {
		return
	}
	booked := w.book(due, func(s *window.Sent) {
		s.Packets++
		s.Flows[flow].Packets++
		s.Flows[flow].Bytes += uint64(bytes)
	})
	if !booked {
		w.uncounted++
	}
}

// add adds what was sent in a window; 0: late.
func add(o *traffic.Outcome, id uint64, s *window.Sent) {
	o.AddWindow(id, s)
	o.AddFlows(id, s)
}
