package search

import (
	"context"

	"github.com/upflab/upflab/internal/record"
)

// stepSearch is one search for throughput under way. Loads are numbered from
// the lowest.
type stepSearch struct {
	Throughput
	trial  Trial
	runner *runner
	lower  *step // the highest good load so far, below
	upper  *step // the lowest bad one
}

// step is a load that was judged.
type step struct {
	number uint64
	judged
}

func (s *stepSearch) top() uint64 { return (s.MaxPPS - s.MinPPS) / s.StepPPS }

// pps is the load of a step: counted down from the highest.
func (s *stepSearch) pps(number uint64) float64 {
	return float64(s.MaxPPS - (s.top()-number)*s.StepPPS)
}

func (s *stepSearch) search(ctx context.Context) error {
	good := func(n uint64) (bool, error) { return s.good(ctx, n) }
	if ok, err := good(s.top()); ok || err != nil {
		return err
	}
	if ok, err := good(0); !ok || err != nil {
		return err
	}
	_, _, err := halving(0, s.top(), good)
	return err
}

func (s *stepSearch) good(ctx context.Context, n uint64) (bool, error) {
	w := load(s.trial, PhaseSearch, s.pps(n), s.Duration)
	j, err := s.Verification.judge(ctx, s.runner, w, s.LossRatio)
	if err != nil {
		return false, err
	}
	if j.good {
		s.lower = &step{n, j}
	} else {
		s.upper = &step{n, j}
	}
	return j.good, nil
}

func (s *stepSearch) report(ended error) Report {
	result := s.result()
	r := Report{
		Method: s.method(), MinPPS: float64(s.MinPPS), MaxPPS: float64(s.MaxPPS), Conditions: s.Conditions,
		Trials: s.runner.records(), Elapsed: s.runner.elapsed(),
		claims: s.claims(),
	}
	if reason, early := reasonOf(ended); early {
		r.Reasons = []Reason{reason}
		result.Reasons = append(r.Reasons[:1:1], result.Reasons...)
	}
	r.Goals = []GoalResult{result}
	return r
}

func (s *stepSearch) result() GoalResult {
	r := GoalResult{Goal: s.goal()}
	if s.lower != nil {
		r.LowerBound = s.bound(s.lower)
		r.LastLowerPPS = r.LowerBound.PPS
		r.ConditionalThroughput = r.LowerBound.PPS * (1 - s.lower.lastOne.loss)
		r.LimitedBy = s.lower.lastOne.limitedBy
	}
	if s.upper != nil {
		r.UpperBound = s.bound(s.upper)
		r.LastUpperPPS = r.UpperBound.PPS
		r.LimitedBy = s.upper.lastOne.limitedBy
	}
	if r.LowerBound != nil && r.UpperBound != nil {
		r.Goal.Width = max(r.width(), float64(s.StepPPS)/r.UpperBound.PPS)
	}
	if reason, bad := s.irregular(r); bad {
		r.Reasons = append(r.Reasons, reason)
	}
	return r
}

func (s *stepSearch) bound(at *step) *Bound {
	b := &Bound{PPS: s.pps(at.number), Trials: len(at.trials)}
	for _, t := range at.trials {
		if t.high(s.LossRatio) {
			b.HighLoss += t.duration
		} else {
			b.LowLoss += t.duration
		}
	}
	return b
}

func (s *stepSearch) irregular(r GoalResult) (Reason, bool) {
	switch {
	case s.upper == nil && s.lower != nil:
		return because(record.ReasonNoUpperBound, "the highest load of %s is carried: the device does at least that; raise it if the generator can do more",
			rate(r.LowerBound.PPS)), true
	case s.upper != nil && s.upper.beyond():
		return because(record.ReasonBenchLimit, "at %s the generator fails, not the UPF; use a faster engine, larger frames or more cores for it",
			rate(r.UpperBound.PPS)), true
	case s.upper != nil && s.upper.number == 0:
		return because(record.ReasonNoLowerBound, "already the lowest load of %s loses more than %v %%: lower it, or see whether the device forwards at all",
			rate(r.UpperBound.PPS), 100*s.LossRatio), true
	case s.upper == nil || s.lower == nil || s.upper.number-s.lower.number > 1:
		return because(record.ReasonNoConvergence, "the search ended before its bounds were within one step of %d packets/s", s.StepPPS), true
	case s.upper.disturbed(s.LossRatio):
		return because(record.ReasonDisturbed,
			"%s lost packets only while the generator stalled and caught up, which is not the load's doing; "+
				"repeat it on a quiet machine, or let tst009 repeat such trials",
			rate(r.UpperBound.PPS)), true
	}
	if floor := lossFloor(s.runner.log, r.LowerBound.PPS, s.LossRatio); floor != "" {
		return because(record.ReasonLossFloor, "%s", floor), true
	}
	return Reason{}, false
}

// disturbed reports whether every lossy trial at the load was.
func (s *step) disturbed(lossRatio float64) bool {
	for _, t := range s.trials {
		if t.high(lossRatio) && !t.disturbed {
			return false
		}
	}
	return true
}
