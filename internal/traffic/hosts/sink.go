package hosts

import (
	"sync/atomic"

	"github.com/upflab/upflab/internal/traffic"
)

// sink is one of another host.
type sink struct {
	host *Host
	of   Of

	back     uint32 // one packet in so many is sent back; 0: none
	received atomic.Uint64
	whole    traffic.FlowOutcome
	kept     traffic.FlowOutcome
	windows
}

var _ traffic.Sink = (*sink)(nil)

// Begin implements traffic.Sink: it forgets the last trial and counts the packets of this one.
func (s *sink) Begin(trial uint16) error {
	s.received.Store(0)
	s.windows.begin()
	s.whole, s.kept = traffic.FlowOutcome{}, traffic.FlowOutcome{}
	_, err := ask[nothing](s.host.ctx, s.host, methodBegin, beginning{s.of, trial, s.back})
	return err
}

// Received implements traffic.Sink: it counts the packets of the trial that arrived so far; without an
// answer it is what it was.
func (s *sink) Received() uint64 {
	if c, err := ask[count](s.host.ctx, s.host, methodArrived, s.of); err == nil {
		s.received.Store(c.N)
	}
	return s.received.Load()
}

// AddLatency implements traffic.Sink: it adds the latencies so far to the counts of h.
func (s *sink) AddLatency(h *traffic.Histogram) error {
	more, err := ask[traffic.Histogram](s.host.ctx, s.host, methodLatency, s.of)
	if err == nil {
		h.AddCounts(&more)
	}
	return err
}

// Outcome implements traffic.Sink: it ends the trial and gives what arrived.
func (s *sink) Outcome(sent []uint64) (o traffic.FlowOutcome, err error) {
	s.whole, err = ask[traffic.FlowOutcome](s.host.ctx, s.host, methodSink, arriving{s.of, sent})
	return s.whole, err
}

// Windows implements traffic.Windowed: it switches counting by windows on or off for the trials to
// come.
func (s *sink) Windows(on bool) (bool, error) { return s.windows.turn(s.host, s.of, on) }

// Complete implements traffic.Windowed: it reports whether all that was due in the window was counted.
func (s *sink) Complete(id uint64) bool { return s.windows.complete(s.host, s.of, id) }

// Fold implements traffic.Windowed: it adds what the window counted to what is kept or to what is
// excluded.
func (s *sink) Fold(id uint64, keep bool) { s.windows.fold(s.host, s.of, id, keep) }

// Counted implements traffic.Sink: it gives what was counted in the windows that were kept and
// in the others.
func (s *sink) Counted() (kept, excluded traffic.FlowOutcome) {
	c, err := s.windows.counted(s.host, s.of)
	if err != nil {
		return kept, excluded // Group asked for the outcome before: the host is lost
	}
	s.kept = c.Received
	return c.Received, c.ReceivedElse
}

// Close implements traffic.Sink: the host closes all it has together.
func (s *sink) Close() error { return nil }
