package stats

import "math"

// MeanCI is the mean of a sample and its interval of a confidence, 0..1, by Student's t.
// Of fewer than three values the interval is their range.
func MeanCI(sample []float64, confidence float64) (m, lo, hi float64) {
	m = Mean(sample)
	n := float64(len(sample))
	if n < 3 {
		lo, hi = MinMax(sample)
		return m, lo, hi
	}
	half := studentQuantile((1-confidence)/2, n-1) * math.Sqrt(meanVariance(sample))
	return m, m - half, m + half
}
