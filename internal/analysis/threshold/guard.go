package threshold

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/between"
	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// A decision by measured values has a guard band, as JCGM 106:2012, "The role of measurement
// uncertainty in conformity assessment", has it in clause 8: on either side of the limit lies a
// zone in which neither pass nor fail can be said. It is the expanded uncertainty of the mean of a run,
// with 95 % coverage: the scatter of its repeats, which more of them make smaller, and what one run differs
// by from another, which they do not.

// outcome decides by the repeats alone; kept is how many of them keep the threshold.
func (t Threshold) outcome(pairs []pair, kept int, scatter between.Scatter, r *record.Result) (o record.Outcome, why string, needs int) {
	n := len(pairs)
	switch {
	case t.Operator == Equals && kept == n:
		return record.OutcomePass, "", 0
	case t.Operator == Equals:
		return record.OutcomeFail, "", 0
	case n < stats.MinRepeats && kept > 0 && kept < n:
		return record.OutcomeCannotTell, fmt.Sprintf("%d of %d repeats keep it: use five", kept, n), five - n
	}
	var beyond, limits []float64
	for _, p := range pairs {
		beyond, limits = append(beyond, p.value-p.limit), append(limits, math.Abs(p.limit))
	}
	limit := stats.Median(limits)
	of := stats.OfRun
	if r.Until != nil { // the number of repeats may follow from what they gave
		of = stats.OfRunAnytime
	}
	d := of(beyond, scatter.Doubt(limit))
	switch {
	case t.Holds(d.Lo, 0) && t.Holds(d.Hi, 0):
		return record.OutcomePass, "", 0
	case !t.Holds(d.Lo, 0) && !t.Holds(d.Hi, 0):
		return record.OutcomeFail, "", 0
	}
	if r.Until != nil && math.IsInf(d.Hi-d.Lo, 1) {
		return record.OutcomeCannotTell, fmt.Sprintf("%d valid repeats are too few for a run that decides when it ends", n), 0
	}
	why = fmt.Sprintf("%d of %d repeats keep it, and the interval of their mean contains the limit", kept, n)
	alone := of(beyond, stats.Doubt{})
	if n < stats.MinRepeats || t.Holds(alone.Lo, 0) == t.Holds(alone.Hi, 0) { // more repeats change nothing
		return record.OutcomeCannotTell, why + ": " + scatter.Words(r.Calibration), 0
	}
	if total := d.RepeatsFor(0, n, stats.MostAdvised); total > n {
		return record.OutcomeCannotTell, why + fmt.Sprintf(": it needs about %s", units.Plural(total-n, "more repeat")), total - n
	}
	return record.OutcomeCannotTell, why + ": use more repeats", 0
}

// five is how many repeats are advised where they are too few to have a scatter.
const five = 5

// scatter is what a figure differs by from run to run. Counts are exact, and so is a rate that was carried
// whole.
func (t Threshold) scatter(samples []figure.Sample, c *record.Calibration) between.Scatter {
	carried := func(s figure.Sample) bool { return !s.Valid || s.Carried() }
	if t.Figure.Offered && !slices.ContainsFunc(samples, func(s figure.Sample) bool { return !carried(s) }) {
		return between.Scatter{}
	}
	return between.Of(c, t.Figure)
}
