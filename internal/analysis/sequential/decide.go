package sequential

import (
	"slices"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
)

// decide compares the two UPFs of a run as `upflab compare` does.
func decide(r *record.Result) record.Ending {
	u := r.Until
	c, err := Compare(r)
	if err != nil { // nothing valid is in common yet
		u.Verdict = nil
		return futile(u)
	}
	u.Verdict = verdict(c)
	whole := len(c.Incomparable) == 0
	switch d := c.Gate.Decision; {
	case d == compare.DecidedWorse, d == compare.DecidedNotWorse && whole:
		return record.EndedKnown
	case d == compare.Undecidable, !whole:
		return futile(u)
	}
	return ""
}

// futile ends a run that more repeats do not help, once it has had some.
func futile(u *record.Until) record.Ending {
	if u.Repeats >= max(futileFrom, LeastRepeats(true)) {
		return record.EndedFutile
	}
	return ""
}

// Compare is the comparison within a run that goes on until it is decided: its second UPF against its first.
func Compare(r *record.Result) (*compare.Comparison, error) {
	o := compare.Options{Threshold: r.Until.Decided}
	for _, name := range r.Until.Figures {
		o.Metrics = append(o.Metrics, compare.Metric(name))
	}
	side := compare.Input{Name: r.Scenario, Result: r}
	return compare.Compare(side, side, o)
}

func verdict(c *compare.Comparison) *record.UntilVerdict {
	v := &record.UntilVerdict{Decision: string(c.Gate.Decision), Needs: c.Gate.Needs}
	at := slices.IndexFunc(c.Pairs, func(p compare.Pair) bool { return !p.Reference() })
	if at < 0 {
		return v
	}
	pair := &c.Pairs[at]
	v.A, v.B = pair.A.Label, pair.B.Label
	for i := range pair.Figures {
		f := &pair.Figures[i]
		one := record.UntilCompare{Where: compare.Where(f.Kind, f.Direction, f.Load), Figure: string(f.Metric), Change: f.Change().Value,
			Decision: string(f.Decision), Why: f.DecisionWhy}
		one.Blocks, one.EWorse, one.ENot = f.Evidence(c.Threshold)
		v.Figures = append(v.Figures, one)
	}
	return v
}
