package changes

import (
	"math"
	"slices"
)

const (
	// mostCorrelated bounds the autocorrelation that is believed.
	mostCorrelated = 0.8
	// unbiased makes up for what the largest step, which is taken out first, takes with it: in
	// simulation 0.3, 0.5 and 0.7 are seen as 0.28, 0.47 and 0.61 in 30 nights.
	unbiased = 1.4
)

// autocorrelation is that of neighbours' noise, 0..mostCorrelated, by how much less they differ
// than values some nights apart (von Neumann, "Distribution of the Ratio of the Mean Square
// Successive Difference to the Variance", 1941), without the largest step. Differences, clipped as
// all noise is, take little notice of other changes of the level.
func autocorrelation(y []float64) float64 {
	y = withoutStep(y)
	const from, to = 3, 6
	var far []float64
	for lag := from; lag <= to; lag++ {
		far = append(far, differences(y, lag)...)
	}
	near, apart := spreadOf(differences(y, 1)), spreadOf(far)
	if near == 0 || apart == 0 {
		return 0
	}
	return min(max(0, unbiased*(1-near*near/apart/apart)), mostCorrelated)
}

func differences(y []float64, lag int) (d []float64) {
	for i := lag; i < len(y); i++ {
		d = append(d, (y[i]-y[i-lag])/math.Sqrt2)
	}
	return d
}

func spreadOf(d []float64) float64 { return spread(d, max(1, float64(len(d)))) }

// longRun is by how much more than independent noise autocorrelated noise moves a mean: the
// square root of (1 + r) / (1 - r), of an autoregressive process of order 1.
func longRun(r float64) float64 { return math.Sqrt((1 + r) / (1 - r)) }

// withoutStep takes the largest step out of a series.
func withoutStep(y []float64) []float64 {
	n := len(y)
	sums := make([]float64, n+1)
	for i, v := range y {
		sums[i+1] = sums[i] + v
	}
	best, at, rise := 0.0, 0, 0.0
	for border := shortest; border <= n-shortest; border++ {
		left, right := float64(border), float64(n-border)
		by := (sums[n]-sums[border])/right - sums[border]/left
		if t := math.Abs(by) * math.Sqrt(left*right); t > best {
			best, at, rise = t, border, by
		}
	}
	level := slices.Clone(y)
	for i := at; i < n && at > 0; i++ {
		level[i] -= rise
	}
	return level
}
