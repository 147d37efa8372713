package search

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/record"
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
	LimitedBy record.Limit
	// Raw is the number of the trial's record in the raw data of the run; 0: there is none.
	Raw uint64
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
	limitedBy record.Limit
}

// high reports whether this is a High-Loss Trial (RFC 9971 clause 4.7.1.1).
func (s sample) high(lossRatio float64) bool { return s.beyond || s.loss > lossRatio }

// Phase is the part of a search that a trial was for.
type Phase string

// The phases of searches.
const (
	PhaseWarmup  Phase = "warmup"  // not counted
	PhaseInitial Phase = "initial" // where to begin
	PhaseSearch  Phase = "search"
	PhaseVerify  Phase = "verify" // after the search: is the device still the same?
)

// Record is one trial of a search, in the order they were made.
type Record struct {
	Phase    Phase
	PPS      float64       // offered; of a burst, the rate it was meant to have
	Frames   uint64        // of a burst; else 0
	Duration time.Duration // intended
	Attempt  int           // 1, or more when a trial before it was invalid
	// TopUp: it is a part of the trial before it, of which too little counted.
	TopUp bool
	// Used is false when the trial was thrown away.
	Used    bool
	Outcome Outcome
	Ended   time.Duration // since the search began
}

const (
	// spare is how much more than what is missing a part is asked for, relative: of a part
	// a different share counts.
	spare = 0.2
	// topUps is how often at most a trial is topped up of which too little counted.
	topUps = 3
	// leastTopUp is the shortest such part: setting a trial up takes longer.
	leastTopUp = 50 * time.Millisecond
	// longestPart is the longest part, in trial lengths: of a trial that was hardly ever
	// undisturbed the rest would take minutes.
	longestPart = 4
	// ahead is how much longer trials are asked for once a part of one did not count: about
	// what they lack at their end, where it is known too late that it does not count.
	// Topping up for it takes eight times as long.
	ahead = 50 * time.Millisecond
)

// whole makes one trial. What of it did not count, because the machine was disturbed, is
// made up for by further parts at the same load. What is missing after that makes its
// effective duration shorter, and with it the trial's weight: the search then asks for
// another one. It is never invalid for that alone, which would throw away what was
// measured well.
func (r *runner) whole(ctx context.Context, w want, attempt int) (Outcome, error) {
	asked := w
	if r.shared && w.frames == 0 {
		asked.duration += ahead
	}
	o, err := r.once(ctx, asked, attempt, false)
	made := asked.duration
	r.parts = []int{len(r.log) - 1}
	for n := 0; err == nil && n < topUps && w.fault(o) == "" && w.effective(o) < w.duration; n++ {
		part := w
		part.duration = w.missing(o, made)
		if r.permit(ctx, part) != nil {
			break // the search's next trial will say so
		}
		var more Outcome
		if more, err = r.once(ctx, part, attempt, true); err == nil && part.fault(more) == "" {
			r.parts = append(r.parts, len(r.log)-1)
			o = o.plus(more)
			made += part.duration
		}
	}
	return o, err
}

// missing is how long a part has to be for the trial to be whole, if as much of it counts
// as of what was made so far.
func (w want) missing(o Outcome, made time.Duration) time.Duration {
	share := min(1, o.Seconds/made.Seconds())
	lacks := (w.duration - w.effective(o)).Seconds()
	part := time.Duration((1 + spare) * lacks / share * float64(time.Second)).Round(time.Millisecond)
	return min(max(leastTopUp, part), longestPart*w.duration)
}
