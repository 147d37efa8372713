package bisect

import "github.com/upflab/upflab/internal/analysis/compare"

// Readings are the figures of a comparison of the good build (A) with another (B).
func Readings(c *compare.Comparison) (list []Reading) {
	for _, p := range c.Pairs {
		if p.Reference() {
			continue
		}
		for i := range p.Figures {
			list = append(list, reading(&p.Figures[i]))
		}
	}
	return list
}

func reading(f *compare.Figure) Reading {
	change := f.Change()
	good, other := f.Sides()
	r := Reading{
		Metric: f.Metric, Kind: f.Kind, Direction: f.Direction, Load: f.Load,
		Good: good, Other: other, Worse: change.Value, Repeats: change.N,
		Shown: f.Verdict == compare.Worse, Why: f.Why, AtMost: f.AtMost(),
	}
	switch {
	case f.Verdict == compare.Equal:
		r.Worse, r.Known = 0, true
	case f.A.AtLeast || f.B.AtLeast: // by how much they differ is not known
	case change.Interval != nil:
		r.Lo, r.Hi, r.Known = change.Interval.Lo, change.Interval.Hi, true
	}
	if f.Metric.HigherIsBetter() {
		r.Worse, r.Lo, r.Hi = -r.Worse, -r.Hi, -r.Lo
	}
	return r
}
