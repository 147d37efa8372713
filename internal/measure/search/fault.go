package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

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
	// wholeTolerance: a trial of which this much less counts than was asked for is as
	// good as whole; the time between its last packet and its end is within it.
	wholeTolerance = 0.005
)

// String describes the trial in a sentence.
func (w want) String() string {
	if w.frames > 0 {
		return fmt.Sprintf("a burst of %d packets", w.frames)
	}
	return fmt.Sprintf("a trial of %v at %s", w.duration, rate(w.pps))
}

// due is how many packets fell due in the time that counts. Where nothing was excluded
// that is the load times the time, so that a generator that stretched the trial is found
// out; else the load holds for the trial on average and not for each part of it, and the
// generator itself says what was due.
func (w want) due(o Outcome) float64 {
	switch {
	case w.frames > 0:
		return float64(w.frames)
	case o.Excluded == 0:
		return max(float64(o.Intended), w.pps*max(o.Seconds, w.duration.Seconds()))
	case o.Intended > 0:
		return float64(o.Intended)
	}
	return w.pps * o.Seconds
}

// effective is the Trial Effective Duration (RFC 9971 clause 4.5.8): the time that counts,
// and no more than was asked for.
func (w want) effective(o Outcome) time.Duration {
	counts := time.Duration(o.Seconds * float64(time.Second))
	if w.frames > 0 || float64(counts) >= float64(w.duration)*(1-wholeTolerance)-float64(time.Second)/w.pps {
		return w.duration
	}
	return counts
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
		return fmt.Sprintf("it lasted %.3g s", o.Seconds+o.Excluded)
	case w.short(o), w.stretched(o):
		return fmt.Sprintf("%d packets were sent in %.3g s, and %.0f were due", o.Sent, o.Seconds, w.due(o))
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
	return !(o.Seconds+o.Excluded+1/w.pps >= wanted) // NaN too
}

// short reports whether the generator missed its schedule in the time that counts: too
// few packets, or the right number over too long a time.
func (w want) short(o Outcome) bool {
	return float64(o.Sent) < w.due(o)*(1-shortTolerance)-shortSlack
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
	return float64(o.Sent) < w.due(o)*(1-farTolerance)
}

// benchFailed reports whether generator or sink, not the device, made a trial
// of full length invalid.
func (w want) benchFailed(o Outcome) bool {
	if o.Sent == 0 || o.Lost > o.Sent || w.cut(o) {
		return false
	}
	return w.short(o) || !o.Valid && o.LimitedBy == record.LimitGenerator
}

// Check says what is wrong with the settings, of kind [ErrSettings], before
// anything is measured.
func (m MLRsearch) Check() error {
	m.Goals = slices.Clone(m.Goals)
	for i := range m.Goals {
		m.Goals[i] = m.Goals[i].withDefaults()
	}
	return m.check()
}

// Check is as of [MLRsearch.Check].
func (t Throughput) Check() error { return t.check() }

// Check is as of [MLRsearch.Check].
func (l LossCurve) Check() error { return l.check() }

// Check is as of [MLRsearch.Check].
func (b BackToBack) Check() error { return b.check() }

// complete searches, looks at the results again, and searches a second time when one
// of them no longer held then. What was measured before the device changed says nothing
// about it now, and is forgotten. Where no time is left for that, the first results
// are kept, as not valid.
func (m MLRsearch) complete(ctx context.Context, t Trial, r *runner) (Report, error) {
	first, err := m.once(ctx, m.controller(t, r))
	if err != nil || !first.has(record.ReasonUnstable) {
		return first, err
	}
	m.Warmup = 0
	fresh, err := m.once(ctx, m.controller(t, r))
	for i := range fresh.Goals {
		fresh.Goals[i] = secondOf(first.Goals[i], fresh.Goals[i])
	}
	if outOfTime(fresh.Reasons) >= 0 {
		fresh.Reasons = nil // the goals have the reasons
	}
	return fresh, err
}

// once searches one time, and looks at the results again.
func (m MLRsearch) once(ctx context.Context, c *controller) (Report, error) {
	err := c.search(ctx)
	r := m.report(c, err)
	if err == nil && m.Verify > 0 {
		err = c.verifyAll(ctx, &r, m.Verify)
	}
	return r, err
}

// secondOf is the second result of a goal, or the first where time ran out.
func secondOf(first, second GoalResult) GoalResult {
	if i := outOfTime(second.Reasons); i >= 0 {
		if !first.Valid() {
			first.Reasons = append(first.Reasons, second.Reasons[i])
		}
		return first
	}
	if first.LowerBound == nil {
		return second
	}
	second.Reasons = append(second.Reasons, because(record.ReasonRepeated,
		"this is of a second search; the first had found %s, and the device had changed by its end", rate(first.LowerBound.PPS)))
	return second
}

func outOfTime(reasons []Reason) int {
	return slices.IndexFunc(reasons, func(r Reason) bool { return r.Code == record.ReasonOutOfTime })
}

// has reports whether a goal has such a reason.
func (r Report) has(code record.SearchReason) bool {
	return slices.ContainsFunc(r.Goals, func(g GoalResult) bool {
		return slices.ContainsFunc(g.Reasons, func(r Reason) bool { return r.Code == code })
	})
}
