package traffic

import (
	"context"

	"github.com/upflab/upflab/internal/result"
)

// Engine sends a flow into one port and receives it at another.
type Engine interface {
	// Run sends by the schedule and returns when the last frame had time to
	// arrive. When ctx ends it stops early and gives what it has, with ctx's
	// error.
	Run(ctx context.Context, s Schedule, m Marks) (Outcome, error)
	// Live tells how far the running trial is. It and LiveLatency may be called
	// from any goroutine.
	Live() (sent, received uint64)
	// LiveLatency reads the latencies recorded so far, from the intended time;
	// of the histogram only the counts are set.
	LiveLatency(h *Histogram) error
	// Close frees the ports.
	Close() error
}

// Marks are called on the way of a trial; each may be nil.
type Marks struct {
	Quiet func() // in the silence before the trial, when the warm-up has arrived
	Start func() // when the first slot is due
	End   func() // when the last frame was sent
}

// Outcome is what a trial's traffic came to.
type Outcome struct {
	Intended, Sent, Received       uint64
	ReceivedBytes                  uint64 // L2, without FCS
	Duplicates, Reordered, Foreign uint64
	Wrong                          []result.Count // by reason
	Specimen                       []byte         // first bytes of a wrong packet
	LateSlots, Stalls              uint64
	SendSeconds                    float64 // first to last frame sent, plus one gap
	BusyRatio                      float64 // share of the sending core's time that sending took
	Latency, Actual, Lateness      Histogram
	JitterNS                       float64
}
