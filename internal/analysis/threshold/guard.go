package threshold

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// A decision by measured values has a guard band, as JCGM 106:2012, "The role of measurement
// uncertainty in conformity assessment", has it in clause 8: on either side of the limit lies a
// zone in which neither pass nor fail can be said. It is the expanded uncertainty of the mean of a run,
// with 95 % coverage: the scatter of its repeats, which more of them make smaller, and what one run differs
// by from another, which they do not.

// outcome decides by the repeats alone; kept is how many of them keep the threshold.
func (t Threshold) outcome(pairs []pair, kept int, scatter between.Scatter, c *record.Calibration) (record.Outcome, string) {
	n := len(pairs)
	switch {
	case t.Operator == Equals && kept == n:
		return record.OutcomePass, ""
	case t.Operator == Equals:
		return record.OutcomeFail, ""
	case n < stats.MinRepeats && kept > 0 && kept < n:
		return record.OutcomeCannotTell, fmt.Sprintf("%d of %d repeats keep it: use five", kept, n)
	}
	var beyond, limits []float64
	for _, p := range pairs {
		beyond, limits = append(beyond, p.value-p.limit), append(limits, math.Abs(p.limit))
	}
	limit := stats.Median(limits)
	d := stats.OfRun(beyond, scatter.Doubt(limit))
	switch {
	case t.Holds(d.Lo, 0) && t.Holds(d.Hi, 0):
		return record.OutcomePass, ""
	case !t.Holds(d.Lo, 0) && !t.Holds(d.Hi, 0):
		return record.OutcomeFail, ""
	}
	why := fmt.Sprintf("%d of %d repeats keep it, and the interval of their mean contains the limit", kept, n)
	switch alone := stats.OfRun(beyond, stats.Doubt{}); {
	case n < stats.MinRepeats || t.Holds(alone.Lo, 0) == t.Holds(alone.Hi, 0): // more repeats change nothing
		return record.OutcomeCannotTell, why + ": " + scatter.Words(c)
	default:
		return record.OutcomeCannotTell, why + ": use more repeats"
	}
}

// scatter is what a figure differs by from run to run. Counts are exact, and so is a rate that was carried
// whole.
func (t Threshold) scatter(samples []figure.Sample, c *record.Calibration) between.Scatter {
	carried := func(s figure.Sample) bool { return !s.Valid || s.Carried() }
	if t.Figure.Offered && !slices.ContainsFunc(samples, func(s figure.Sample) bool { return !carried(s) }) {
		return between.Scatter{}
	}
	return between.Of(c, t.Figure)
}
