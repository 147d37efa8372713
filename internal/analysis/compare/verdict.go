package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// Level is the chance of a single false call in a whole comparison.
const Level = 1 - stats.Confidence

// judge gives each figure its verdict. References are a family of their own:
// they are witnesses, not what was asked about.
func (c *Comparison) judge() {
	family := c.figures(func(p Pair) bool { return !p.Reference() })
	c.Family = adjust(family)
	adjust(c.figures(Pair.Reference))
	for i := range c.Pairs {
		for j := range c.Pairs[i].Figures {
			f := &c.Pairs[i].Figures[j]
			f.Verdict, f.Why = f.verdict(c.Family)
		}
	}
}

// figures lists those of the pairs chosen.
func (c *Comparison) figures(of func(Pair) bool) []*Figure {
	var list []*Figure
	for i := range c.Pairs {
		for j := range c.Pairs[i].Figures {
			if of(c.Pairs[i]) {
				list = append(list, &c.Pairs[i].Figures[j])
			}
		}
	}
	return list
}

// adjust gives p over the whole family and returns its size. Figures of which no
// difference could be found are no part of it.
func adjust(figures []*Figure) int {
	var tested []*Figure
	var p []float64
	for _, f := range figures {
		if f.test.ok && !f.test.equal && !f.bounds() {
			tested = append(tested, f)
			p = append(p, f.test.diff.P())
		}
	}
	for i, adjusted := range stats.Holm(p) {
		tested[i].change(tested[i].Basis).PFamily = adjusted
	}
	return len(tested)
}

// verdict says what can be said, and why not more.
func (f *Figure) verdict(family int) (Verdict, string) {
	change := f.Change()
	switch {
	case f.A.N == 0 || f.B.N == 0:
		return CannotTell, missing(f.A, f.B)
	case f.test.equal && (f.A.AtLeast || f.B.AtLeast):
		return CannotTell, f.atLeast()
	case f.test.equal:
		return Equal, ""
	case f.test.why != "":
		return CannotTell, f.test.why
	case !f.test.ok:
		return CannotTell, f.tooFew()
	case f.bounded(f.A) && f.bounded(f.B):
		return CannotTell, fmt.Sprintf("limited by %s: the bench's figure, not the UPF's", limits(f.A, f.B))
	case f.A.AtLeast && f.B.AtLeast:
		return CannotTell, f.atLeast()
	case f.test.hidden:
		return CannotTell, "not as measured, with wire's figure taken out and as a ratio to wire's alike: wire or the machine may be the reason"
	case !f.test.diff.Clear() || f.test.diff.P() >= Level:
		return CannotTell, ""
	case change.PFamily >= Level:
		return CannotTell, fmt.Sprintf("alone it would count; among %d figures so much comes by chance", family)
	}
	return f.direction()
}

// whyAtLeast is why a side of the metric is a lower bound.
func (m Metric) whyAtLeast() string {
	if m == CPU {
		return record.ProcessAlone
	}
	return record.NeverSent
}

// atLeast says which side is a lower bound; one of them is.
func (f *Figure) atLeast() string {
	switch {
	case f.A.AtLeast && f.B.AtLeast:
		return "both are at least that: " + f.Metric.whyAtLeast()
	case f.A.AtLeast:
		return f.sideAtLeast("A")
	}
	return f.sideAtLeast("B")
}

func (f *Figure) sideAtLeast(side string) string {
	return side + " is at least that: " + f.Metric.whyAtLeast()
}

// bounds reports whether neither side's figure is more than a bound, on the same side.
func (f *Figure) bounds() bool {
	return f.bounded(f.A) && f.bounded(f.B) || f.A.AtLeast && f.B.AtLeast
}

// direction is the verdict on a difference that is there.
func (f *Figure) direction() (Verdict, string) {
	worse := f.worsening().Value > 0
	switch {
	case worse && f.bounded(f.B):
		return CannotTell, fmt.Sprintf("B was limited by %s: the UPF may do better than that", limits(f.B))
	case !worse && f.bounded(f.A):
		return CannotTell, fmt.Sprintf("A was limited by %s: the UPF may do better than that", limits(f.A))
	case worse && f.A.AtLeast:
		return CannotTell, f.sideAtLeast("A")
	case !worse && f.B.AtLeast:
		return CannotTell, f.sideAtLeast("B")
	case worse:
		return Worse, f.crowded()
	}
	return Better, f.crowded()
}

// crowded says of a difference between builds that it was seen while others used their CPU.
func (f *Figure) crowded() string {
	if f.A.Bounded == f.bounded(f.A) && f.B.Bounded == f.bounded(f.B) {
		return ""
	}
	return "others used the UPF's CPU, of both builds in turn: there is a difference, but on a quiet machine it may have another size"
}

// worsening is the difference turned so that more is worse.
func (f *Figure) worsening() stats.Difference {
	if f.Metric.HigherIsBetter() {
		return f.test.diff.Negated()
	}
	return f.test.diff
}

func missing(a, b Sample) string {
	if a.N == 0 && b.N > 0 {
		return "A has no valid figure"
	}
	return "B has no valid figure"
}

func (f *Figure) tooFew() string {
	noise := "or give --noise"
	if f.Metric == P50 || f.Metric == P99 {
		noise += fmt.Sprintf(" %s=RATIO", f.Metric)
	}
	switch {
	case f.Change().N < min(f.A.N, f.B.N): // others were measured, and were not valid on one side
		return fmt.Sprintf("%s with valid figures of both: use more repeats or a quieter machine, %s", repeats(f.Change().N), noise)
	case f.A.N == f.B.N:
		return fmt.Sprintf("%s a side: use --set repeats=5, %s", repeats(f.A.N), noise)
	}
	return fmt.Sprintf("%s in A, %d in B: use --set repeats=5, %s", repeats(f.A.N), f.B.N, noise)
}

func repeats(n int) string {
	if n == 1 {
		return "1 repeat"
	}
	return fmt.Sprintf("%d repeats", n)
}

// limits names what limited the samples: "link", "link/host".
func limits(samples ...Sample) string {
	var names []string
	for _, s := range samples {
		for _, l := range s.Limits {
			if name := string(l.Name); !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	return strings.Join(names, "/")
}
