package compare

import (
	"fmt"

	"github.com/upflab/upflab/internal/analysis/stats"
)

// gate decides of each figure of UPFs whether B is worse than A by more than the threshold. The chance of a single one
// that is called worse and is not is below Level (Holm's procedure). That B is worse in none is said where each figure
// shows it by itself: a false word about all of them needs a false one about one that is worse, whose chance is below
// Level (an intersection-union test).
func (c *Comparison) gate() {
	c.Gate = Gate{Worse: []Failure{}}
	var tested []int
	var p []float64
	var titles []string
	var all []*Figure
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		if !pair.gated() {
			continue
		}
		for j := range pair.Figures {
			f := &pair.Figures[j]
			if f.test.ok && (f.test.diff.Anytime() || !f.test.equal && !f.test.looked) && f.mayBeWorse() {
				tested = append(tested, len(all))
				p = append(p, f.worsening().PAbove(f.Metric.worsening(c.Threshold)))
			}
			all, titles = append(all, f), append(titles, pair.Title())
		}
	}
	worse := make([]bool, len(all))
	for i, adjusted := range stats.Holm(p) {
		worse[tested[i]] = adjusted < Level && all[tested[i]].beyond(c.Threshold)
	}
	for i, f := range all {
		f.decide(c.Threshold, worse[i])
		c.Gate.count(titles[i], f)
	}
	c.Gate.conclude()
}

// count adds a figure that is decided.
func (g *Gate) count(title string, f *Figure) {
	g.Figures++
	switch f.Decision {
	case DecidedWorse:
		g.Worse = append(g.Worse, Failure{title, *f})
	case DecidedNotWorse:
		g.Excluded++
	case NeedsRepeats:
		g.Open++
		g.Needs = max(g.Needs, f.Needs)
		g.unsized = g.unsized || f.Needs == 0
	}
}

// conclude decides for all figures together.
func (g *Gate) conclude() {
	switch {
	case len(g.Worse) > 0:
		g.Decision = DecidedWorse
	case g.Figures > 0 && g.Excluded == g.Figures:
		g.Decision = DecidedNotWorse
	case g.Open > 0:
		g.Decision = NeedsRepeats
	default:
		g.Decision = Undecidable
	}
	if g.unsized {
		g.Needs = 0
	}
}

// decide says on which side of the threshold a figure lies, or what that lacks.
func (f *Figure) decide(threshold float64, worse bool) {
	margin := f.Metric.worsening(threshold)
	switch n := f.Change().N; {
	case worse:
		f.Decision = DecidedWorse
	case f.within(threshold):
		f.Decision = DecidedNotWorse
	case f.A.N == 0 || f.B.N == 0:
		f.Decision, f.DecisionWhy = Undecidable, missing(f.A, f.B)
	case f.test.why != "":
		f.Decision, f.DecisionWhy = Undecidable, f.test.why
	case !f.test.ok:
		f.Decision = NeedsRepeats // how many is not known
	case !f.mayBeWorse() && !f.mayBeFine():
		f.Decision, f.DecisionWhy = Undecidable, "the figures of both are bounds"
	case f.worsening().Estimate() > margin && !f.mayBeWorse():
		f.Decision, f.DecisionWhy = Undecidable, "the UPF may be better in B, or worse in A, than the bound that was measured"
	case f.worsening().Estimate() <= margin && !f.mayBeFine():
		f.Decision, f.DecisionWhy = Undecidable, "the UPF may be better in A, or worse in B, than the bound that was measured"
	case f.worsening().Unsettled(margin):
		f.Decision, f.DecisionWhy = Undecidable, "runs of one machine differ by more than what lies between the change and the threshold: measure both in one run"
	default:
		f.Decision = NeedsRepeats
		if total := f.worsening().RepeatsFor(margin, n, stats.MostAdvised); total > n {
			f.Needs = total - n
		}
	}
}

// Words are the decision for a reader: "not worse by 3 %".
func (f *Figure) Words(threshold float64) string {
	switch f.Decision {
	case DecidedWorse, DecidedNotWorse:
		return string(f.Decision) + fmt.Sprintf(" by %.3g %%", 100*threshold)
	case NeedsRepeats:
		return needs(f.Needs)
	case Undecidable:
		return string(f.Decision) + ": " + f.DecisionWhy
	}
	return ""
}

// Evidence are the highest e-values so far against that B is not worse by more than the threshold, and against that it
// is, and the blocks of two repeats that they rest on; 1 and 1 where the run was not made of blocks.
func (f *Figure) Evidence(threshold float64) (blocks int, worse, not float64) {
	d, margin := f.worsening(), f.Metric.worsening(threshold)
	return d.Blocks(), d.EAbove(margin), d.Negated().EAbove(-margin)
}

// needs words how many repeats are missing.
func needs(n int) string {
	if n == 0 {
		return "needs more repeats"
	}
	return fmt.Sprintf("needs about %d more", n)
}

// mayBeWorse reports whether the figures can show that B is worse: B's is no bound that the UPF may surpass, and A's
// is not at least what was measured.
func (f *Figure) mayBeWorse() bool { return !f.bounded(f.B) && !f.A.AtLeast }

// mayBeFine reports whether they can show that it is not.
func (f *Figure) mayBeFine() bool { return !f.A.Bounded && !f.B.AtLeast }

// beyond reports whether the whole interval is worse than the threshold. What holds at every look has its p value alone.
func (f *Figure) beyond(threshold float64) bool {
	return f.test.diff.Anytime() || f.worsening().Lo > f.Metric.worsening(threshold)
}

// within reports whether a worsening beyond the threshold can be ruled out.
func (f *Figure) within(threshold float64) bool {
	margin := f.Metric.worsening(threshold)
	switch {
	case !f.mayBeFine():
		return false
	case f.test.ok && f.test.diff.Anytime():
		return f.worsening().PBelow(margin) < Level
	case f.test.looked:
		return false
	}
	return f.test.equal || f.test.ok && f.worsening().Hi <= margin
}
