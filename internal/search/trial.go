package search

import (
	"context"
	"time"
)

// Trial offers a constant load of pps packets/s for d and returns what became of
// it. Load and duration are all that a search varies (Trial Input, RFC 9971
// clause 4.5.3). An error ends the search: the device or the bench is gone. A
// trial that merely should not be believed is an Outcome that is not Valid.
type Trial func(ctx context.Context, pps float64, d time.Duration) (Outcome, error)

// Outcome is what one trial measured.
type Outcome struct {
	Sent uint64 // packets
	// Intended is how many packets fell due in the time that counts; 0: not known, and
	// taken to be the load times that time.
	Intended uint64
	Lost     uint64  // packets sent that did not arrive as they should, 0..Sent
	Seconds  float64 // s of the trial that count, as measured: its Trial Effective Duration
	// Excluded is how long the trial took beyond that, s: the machine was disturbed then,
	// and none of the figures above includes it.
	Excluded float64
	// Valid is false when the trial does not measure what it was meant to.
	Valid   bool
	Reasons []string // why it is invalid, what limited it
	// MaxDelay is the longest one-way delay of a packet from its sending; 0: not
	// known.
	MaxDelay time.Duration
	// Disturbed is true when the bench sent so unevenly that this, and not the load,
	// may be what lost packets.
	Disturbed bool
	// LimitedBy is one of the Limit constants of package analysis, or "" when
	// that is not known.
	LimitedBy string
}

// plus adds a further trial at the same load: both are one trial that took a pause.
func (o Outcome) plus(more Outcome) Outcome {
	o.Disturbed = (o.Disturbed || o.Lost == 0) && (more.Disturbed || more.Lost == 0)
	if more.Lost > o.Lost {
		o.LimitedBy = more.LimitedBy
	}
	o.Sent, o.Intended, o.Lost = o.Sent+more.Sent, o.Intended+more.Intended, o.Lost+more.Lost
	o.Seconds, o.Excluded = o.Seconds+more.Seconds, o.Excluded+more.Excluded
	o.MaxDelay = max(o.MaxDelay, more.MaxDelay)
	return o
}

// lossRatio is the Trial Loss Ratio (RFC 9971 clause 4.5.6), 0..1.
func (o Outcome) lossRatio() float64 {
	if o.Sent == 0 {
		return 1
	}
	return float64(o.Lost) / float64(o.Sent)
}

// sample is a trial as the searches count it.
type sample struct {
	duration time.Duration // Trial Effective Duration (RFC 9971 clause 4.5.8)
	loss     float64       // Trial Loss Ratio, 0..1
	// beyond: the bench could not offer this load. It counts as high loss for
	// any goal, and says nothing about the device.
	beyond    bool
	disturbed bool
	limitedBy string
}

// high reports whether this is a High-Loss Trial (RFC 9971 clause 4.7.1.1).
func (s sample) high(lossRatio float64) bool { return s.beyond || s.loss > lossRatio }
