package stats

import (
	"math"
	"slices"
)

// MedianCI gives a confidence interval, 0..1, of the median of what a sample was drawn from.
// Its ends are between order statistics: how many values lie below the median is binomial
// with p = 1/2 whatever the distribution, and between the two ranks whose coverages are just
// above and just below the confidence it interpolates as Hettmansperger and Sheather do,
// "Confidence Intervals Based on Interpolated Order Statistics", 1986. Nothing is resampled:
// of seven values the percentile bootstrap covers 87 % where it says 95 %.
//
// Below six values not even their range covers 95 %: then it is the range. NaN, NaN for an
// empty sample.
func MedianCI(sample []float64, confidence float64) (lo, hi float64) {
	n := len(sample)
	if n == 0 {
		return math.NaN(), math.NaN()
	}
	sorted := slices.Sorted(slices.Values(sample))
	k := 1 // the rank, from 1, of the widest interval that covers enough
	for k+1 <= n/2 && rankCoverage(n, k+1) >= confidence {
		k++
	}
	if k+1 > n-k || rankCoverage(n, k) < confidence {
		return sorted[k-1], sorted[n-k]
	}
	wider, narrower := rankCoverage(n, k), rankCoverage(n, k+1)
	part := (wider - confidence) / (wider - narrower)
	inward := float64(n-k) * part / (float64(k) + float64(n-2*k)*part)
	return sorted[k-1] + inward*(sorted[k]-sorted[k-1]), sorted[n-k] - inward*(sorted[n-k]-sorted[n-k-1])
}

// rankCoverage is the probability that the median lies between the k-th of n values and the
// k-th from the end.
func rankCoverage(n, k int) float64 {
	below := 0.0
	for i := range k {
		below += math.Exp(logBinomial(uint64(n), uint64(i), 0.5))
	}
	return max(0, 1-2*below)
}
