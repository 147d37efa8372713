package search

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// runner makes trials for a search: it repeats those that are invalid, keeps
// the books, and ends the search when there is no point in going on.
type runner struct {
	limits  Limits
	started time.Time
	spent   time.Duration // in trials, as intended
	// ceiling is the lowest load that the bench is known not to reach.
	ceiling float64
	// reached is the highest load that the bench was seen to send.
	reached float64
	log     []Record
	parts   []int   // records of the trial under way
	shared  bool    // a part of some trial did not count
	latest  Outcome // of the trial that was used last
}

func newRunner(l Limits) *runner {
	l = l.withDefaults()
	return &runner{limits: l, started: l.Now(), ceiling: math.Inf(1)}
}

// want is a trial that a search asks for.
type want struct {
	phase    Phase
	pps      float64
	frames   uint64
	duration time.Duration
	slowest  float64 // packets/s that a burst has to be sent at; 0: any
	do       func(context.Context, time.Duration) (Outcome, error)
	// decided reports whether an outcome that the bench disturbed says the same as
	// one would that it had not; nil: never.
	decided func(Outcome) bool
}

// load asks for a trial at a load.
func load(t Trial, phase Phase, pps float64, d time.Duration) want {
	return want{phase: phase, pps: pps, duration: d, do: func(ctx context.Context, d time.Duration) (Outcome, error) { return t(ctx, pps, d) }}
}

// measure makes the trial, again when it is invalid, and says how it counts. One
// that was disturbed twice would be a third time. Its errors are of type *halt.
func (r *runner) measure(ctx context.Context, w want) (sample, error) {
	for attempt := 1; ; attempt++ {
		o, err := r.whole(ctx, w, attempt)
		if err != nil {
			return sample{}, err
		}
		fault := w.fault(o)
		if fault == "" || w.clear(o) {
			return r.use(w, o, false), nil
		}
		if attempt <= r.limits.Repeats && !r.hopeless(w, o) && !(o.Disturbed && attempt > 1) {
			continue
		}
		return r.settle(w, o, fault)
	}
}

// once makes one trial and writes it down.
func (r *runner) once(ctx context.Context, w want, attempt int, topUp bool) (Outcome, error) {
	if err := r.permit(ctx, w); err != nil {
		return Outcome{}, err
	}
	o, err := w.do(ctx, w.duration)
	if err != nil {
		return o, failed(ctx, w, err)
	}
	r.spent += w.duration
	r.shared = r.shared || o.Excluded > 0
	r.log = append(r.log, Record{
		Phase: w.phase, PPS: w.pps, Frames: w.frames, Duration: w.duration, Attempt: attempt, TopUp: topUp, Outcome: o, Ended: r.elapsed(),
	})
	return o, nil
}

// use marks the latest trial as the one that counts.
func (r *runner) use(w want, o Outcome, beyond bool) sample {
	for _, i := range r.parts {
		r.log[i].Used = true
	}
	r.latest = o
	s := sample{duration: w.effective(o), loss: o.lossRatio(), beyond: beyond, disturbed: o.Disturbed && o.Lost > 0, limitedBy: o.LimitedBy}
	if !beyond {
		r.reached = max(r.reached, w.pps)
		return s
	}
	if w.pps > r.reached {
		r.ceiling = min(r.ceiling, w.pps)
	}
	s.limitedBy = record.LimitGenerator
	if due := w.due(o); due > float64(o.Sent) {
		s.loss = min(1, (float64(o.Lost)+due-float64(o.Sent))/due)
	}
	return s
}

// clear reports whether the bench disturbed the trial and nothing depends on it.
func (w want) clear(o Outcome) bool {
	return w.decided != nil && o.Disturbed && o.Sent > 0 && !w.cut(o) && !w.short(o) && w.decided(o)
}

// hopeless reports whether the bench has shown, before or by far, that it does not
// reach this load, so that a second attempt would only cost time. One that has sent more
// before was held up.
func (r *runner) hopeless(w want, o Outcome) bool {
	return w.frames == 0 && w.benchFailed(o) && w.pps > r.reached && (w.pps >= r.ceiling || w.farShort(o))
}

// settle decides on a trial that stayed invalid. Where the bench was the limit,
// the load counts as one of high loss (RFC 9971 clause 4.9.1 recommends so);
// where all packets were lost, that is what was measured, and so is what was lost
// because this machine never lets the bench send evenly. Anything else ends the
// search.
func (r *runner) settle(w want, o Outcome, fault string) (sample, error) {
	switch {
	case o.Sent == 0:
		return sample{}, &halt{reason: because(record.ReasonNothingSent,
			"no packet was sent %s; see that the generator runs and its port is up", w)}
	case w.stretched(o):
		return sample{}, &halt{reason: because(record.ReasonNotBackToBack,
			"%s was sent at %s, not at %s, however often it was repeated (%d times); give the generator a core of "+
				"its own, or a highest rate that it reaches",
			w, rate(o.rate()), rate(w.pps), r.limits.Repeats)}
	case w.frames == 0 && w.benchFailed(o):
		return r.use(w, o, true), nil
	case o.Lost == o.Sent || o.Disturbed && o.LimitedBy == record.LimitHost:
		return r.use(w, o, false), nil
	default:
		return sample{}, &halt{reason: because(record.ReasonInvalidTrials,
			"%s was invalid however often it was repeated (%d times): %s", w, r.limits.Repeats, fault)}
	}
}

// permit refuses a trial that time, the number of trials or the user forbid.
func (r *runner) permit(ctx context.Context, w want) error {
	if err := ctx.Err(); err != nil {
		return failed(ctx, w, err)
	}
	if len(r.log) >= r.limits.Trials {
		return &halt{reason: because(record.ReasonNoConvergence,
			"%d trials did not bring the bounds close enough: the device is not steady, or the goal asks for more than it shows", len(r.log))}
	}
	if b := r.limits.Budget; b > 0 && r.elapsed()+w.duration+r.overhead() > b {
		return &halt{reason: because(record.ReasonOutOfTime,
			"%v of %v were used after %d trials, too little is left for %s; give it more time, or a goal that is wider",
			r.elapsed().Round(time.Millisecond), b, len(r.log), w)}
	}
	return nil
}

func (r *runner) elapsed() time.Duration { return r.limits.Now().Sub(r.started) }

// overhead is what a trial took so far beyond its duration, on average.
func (r *runner) overhead() time.Duration {
	if len(r.log) == 0 {
		return 0
	}
	return max(0, r.elapsed()-r.spent) / time.Duration(len(r.log))
}

func (r *runner) records() []Record { return slices.Clone(r.log) }

func failed(ctx context.Context, w want, err error) error {
	if ctx.Err() != nil {
		return &halt{reason: because(record.ReasonInterrupted, "interrupted before %s was done", w), cause: err}
	}
	return &halt{reason: because(record.ReasonTrialFailed, "%s failed: %v", w, err), cause: err}
}

// reasonOf is why a search ended early.
func reasonOf(err error) (Reason, bool) {
	if h, ok := errors.AsType[*halt](err); ok {
		return h.reason, true
	}
	return Reason{}, false
}
