package threshold

import (
	"fmt"
	"math"
	"slices"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// A decision by measured values has a guard band, as JCGM 106:2012, "The role of measurement
// uncertainty in conformity assessment", has it in clause 8: on either side of the limit lies a
// zone in which neither pass nor fail can be said.
const (
	// agreeing is how many repeats decide by being on one side, all of them: where the median
	// is at the limit five do so with a probability of 3 %.
	agreeing = 5
	// Of fewer than three repeats the scatter is not known. Then the zone is what one repeat
	// may be off by, as a share of the limit, with a coverage factor of 2: rates and CPU
	// times of runs on shared machines scatter by some 5 %, delays and losses by 25 % and more.
	steadyGuard, roughGuard = 0.1, 0.5
)

// outcome decides by the repeats alone; kept is how many of them keep the threshold.
func (t Threshold) outcome(pairs []pair, kept int, guard float64) (record.Outcome, string) {
	n := len(pairs)
	switch {
	case t.Operator == Equals && kept == n, n >= agreeing && kept == n:
		return record.OutcomePass, ""
	case t.Operator == Equals, n >= agreeing && kept == 0:
		return record.OutcomeFail, ""
	case n < stats.MinRepeats:
		return t.byGuard(pairs, kept, guard)
	}
	var beyond []float64
	for _, p := range pairs {
		beyond = append(beyond, p.value-p.limit)
	}
	_, lo, hi := stats.MeanCI(beyond, stats.Confidence)
	switch {
	case t.Holds(lo, 0) && t.Holds(hi, 0):
		return record.OutcomePass, ""
	case !t.Holds(lo, 0) && !t.Holds(hi, 0):
		return record.OutcomeFail, ""
	}
	return record.OutcomeCannotTell,
		fmt.Sprintf("%d of %d repeats keep it, and the interval of their mean contains the limit: use more "+
			"repeats (five that agree decide)", kept, n)
}

// byGuard decides where too few repeats show no scatter.
func (t Threshold) byGuard(pairs []pair, kept int, guard float64) (record.Outcome, string) {
	within := func(p pair) bool { return math.Abs(p.value-p.limit) < guard*math.Abs(p.limit) }
	switch {
	case kept > 0 && kept < len(pairs):
		return record.OutcomeCannotTell, fmt.Sprintf("%d of %d repeats keep it: use five", kept, len(pairs))
	case slices.ContainsFunc(pairs, within):
		return record.OutcomeCannotTell,
			fmt.Sprintf("it is less than %.0f %% from the limit, by which one repeat may be off: use five", 100*guard)
	case kept > 0:
		return record.OutcomePass, ""
	}
	return record.OutcomeFail, ""
}

// guard is the share of the limit that one repeat may be off by. Counts are exact, and so is a
// rate that was carried whole.
func (t Threshold) guard(samples []figure.Sample) float64 {
	carried := func(s figure.Sample) bool { return !s.Valid || s.Carried() }
	switch {
	case t.Figure.Unit == figure.Count, t.Figure.Offered && !slices.ContainsFunc(samples, func(s figure.Sample) bool { return !carried(s) }):
		return 0
	case slices.Contains([]string{"cpu_ns_per_packet", "program_ns_per_packet"}, t.Figure.Name):
		return steadyGuard
	case slices.Contains([]figure.Unit{figure.Nanos, figure.Seconds, figure.Ratio}, t.Figure.Unit):
		return roughGuard
	}
	return steadyGuard
}
