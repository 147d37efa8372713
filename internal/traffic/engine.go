package traffic

import "context"

// Engine sends flows and receives them. What of them a trial sends is the
// schedule's sequence.
type Engine interface {
	// Run sends by the schedule and returns when the last frame had time to
	// arrive. When ctx ends it stops early and gives what it has, with ctx's
	// error.
	Run(ctx context.Context, s Schedule, m Marks) (Outcome, error)
	// Live gives how far the running trial is, all flows together. It and
	// LiveLatency may be called from any goroutine.
	Live() (sent, received uint64)
	// LiveLatency adds the latencies recorded so far, from the intended time, of
	// all flows; of the histogram only the counts are set.
	LiveLatency(h *Histogram) error
	// Close frees the ports.
	Close() error
}

// Marks are called in the course of a trial; each may be nil.
type Marks struct {
	Quiet func() // in the silence before the trial, when the warm-up has arrived
	Start func() // when the first slot is about to be due
	End   func() // when the last frame was sent

	// Agree, which Group gives sources that share a schedule, is called when Quiet has
	// returned, with the first time that a source could begin at, ns of CLOCK_MONOTONIC. It
	// returns the time at which all of them begin, when all have called it.
	Agree func(first uint64) uint64
}

func call(mark func()) {
	if mark != nil {
		mark()
	}
}
