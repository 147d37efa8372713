package search

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

const (
	// shortTolerance and shortSlack: a generator within them of what fell due
	// has kept its schedule; the slack is the first and last slot of a trial.
	shortTolerance = 0.01
	shortSlack     = 2
	// farTolerance: a generator that is that far behind does not reach the load.
	farTolerance = 0.1
	// timeTolerance: a trial cut by more than this has not lasted as asked.
	timeTolerance = 0.1
)

// String describes the trial in a sentence.
func (w want) String() string {
	if w.frames > 0 {
		return fmt.Sprintf("a burst of %d packets", w.frames)
	}
	return fmt.Sprintf("a trial of %v at %s", w.duration, rate(w.pps))
}

// due is how many packets fall due in so many seconds.
func (w want) due(seconds float64) float64 {
	if w.frames > 0 {
		return float64(w.frames)
	}
	return w.pps * seconds
}

// fault says why an outcome cannot be used as it is; "" when it can. It does
// not rely on Valid alone.
func (w want) fault(o Outcome) string {
	switch {
	case o.Sent == 0:
		return "nothing was sent"
	case o.Lost > o.Sent:
		return fmt.Sprintf("%d packets lost of %d sent: the counters are not to be believed", o.Lost, o.Sent)
	case w.cut(o):
		return fmt.Sprintf("it lasted %.3g s", o.Seconds)
	case w.short(o), w.stretched(o):
		return fmt.Sprintf("%d packets were sent in %.3g s", o.Sent, o.Seconds)
	case !o.Valid && len(o.Reasons) == 0:
		return "it was judged invalid"
	case !o.Valid:
		return strings.Join(o.Reasons, "; ")
	default:
		return ""
	}
}

// cut reports whether the trial ended before its time, one slot aside. Bursts
// have no time of their own.
func (w want) cut(o Outcome) bool {
	if w.frames > 0 {
		return false
	}
	wanted := w.duration.Seconds() * (1 - timeTolerance)
	return !(o.Seconds+1/w.pps >= wanted) // NaN too
}

// short reports whether the generator missed its schedule: too few packets, or
// the right number over too long a time.
func (w want) short(o Outcome) bool {
	due := w.due(max(o.Seconds, w.duration.Seconds()))
	return float64(o.Sent) < due*(1-shortTolerance)-shortSlack
}

// timedBurst is the shortest burst, packets, whose rate is looked at.
const timedBurst = 64

// stretched reports whether a burst was not sent back to back.
func (w want) stretched(o Outcome) bool {
	return w.frames >= timedBurst && o.Seconds > 0 && o.rate() < w.slowest
}

// rate is that of the sending, packets/s.
func (o Outcome) rate() float64 { return float64(o.Sent) / o.Seconds }

// farShort reports whether the generator was slower than any passing disturbance
// makes it.
func (w want) farShort(o Outcome) bool {
	return float64(o.Sent) < w.due(w.duration.Seconds())*(1-farTolerance)
}

// benchFailed reports whether generator or sink, not the device, made a trial
// of full length invalid.
func (w want) benchFailed(o Outcome) bool {
	if o.Sent == 0 || o.Lost > o.Sent || w.cut(o) {
		return false
	}
	return w.short(o) || !o.Valid && o.LimitedBy == record.LimitGenerator
}
