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
	Sent    uint64  // packets
	Lost    uint64  // packets sent that did not arrive as they should, 0..Sent
	Seconds float64 // s, from the first packet to the last, as measured
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

// lossRatio is the Trial Loss Ratio (RFC 9971 clause 4.5.6), 0..1.
func (o Outcome) lossRatio() float64 {
	if o.Sent == 0 {
		return 1
	}
	return float64(o.Lost) / float64(o.Sent)
}

// sample is a trial as the searches count it.
type sample struct {
	duration time.Duration // intended, which is the Trial Effective Duration too
	loss     float64       // Trial Loss Ratio, 0..1
	// beyond: the bench could not offer this load. It counts as high loss for
	// any goal, and says nothing about the device.
	beyond    bool
	disturbed bool
	limitedBy string
}

// high reports whether this is a High-Loss Trial (RFC 9971 clause 4.7.1.1).
func (s sample) high(lossRatio float64) bool { return s.beyond || s.loss > lossRatio }
