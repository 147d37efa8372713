package compare

import "github.com/upflab/upflab/internal/analysis/stats"

// gate finds the figures of UPFs that are worse beyond the threshold, the chance
// of a single false one among all being below Level.
func (c *Comparison) gate() {
	c.Gate = Gate{Worse: []Failure{}}
	var tested []Failure
	var p []float64
	for _, pair := range c.Pairs {
		if !pair.gated() {
			continue
		}
		for _, f := range pair.Figures {
			c.Gate.Figures++
			if f.within(c.Threshold) {
				c.Gate.Excluded++
			}
			if f.test.ok && !f.test.equal && !f.bounded(f.B) && !f.A.AtLeast {
				tested = append(tested, Failure{pair.Title(), f})
				p = append(p, f.worsening().PAbove(f.Metric.worsening(c.Threshold)))
			}
		}
	}
	for i, adjusted := range stats.Holm(p) {
		if adjusted < Level && tested[i].Figure.beyond(c.Threshold) {
			c.Gate.Worse = append(c.Gate.Worse, tested[i])
		}
	}
}

// beyond reports whether the whole interval is worse than the threshold.
func (f *Figure) beyond(threshold float64) bool {
	return f.worsening().Lo > f.Metric.worsening(threshold)
}

// within reports whether a worsening beyond the threshold can be ruled out.
func (f *Figure) within(threshold float64) bool {
	if f.A.Bounded || f.B.AtLeast { // A may be better than it shows, or B worse
		return false
	}
	return f.test.equal || f.test.ok && f.worsening().Hi <= f.Metric.worsening(threshold)
}
