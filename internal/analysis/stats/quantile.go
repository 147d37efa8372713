package stats

import "math"

// QuantileRanks gives the confidence interval of a quantile q, 0..1, of what n
// values were drawn from, as ranks among the values in ascending order, from 1: it
// lies between the two with at least the given probability, 0..1, half of the rest
// on either side. It assumes no distribution, only that the values are independent:
// how many of them are below the quantile is binomial. 0 for a rank: there are too
// few values to tell.
func QuantileRanks(n uint64, q, level float64) (low, high uint64) {
	if n == 0 || q <= 0 || q >= 1 {
		return 0, 0
	}
	tail := (1 - level) / 2
	low = binomialQuantile(n, q, func(below float64) bool { return below > tail })
	high = binomialQuantile(n, q, func(below float64) bool { return below >= 1-tail }) + 1
	if high > n {
		high = 0
	}
	return low, high
}

// binomialQuantile is the least k for which the probability of at most k successes
// in n trials is enough. It adds up from where nothing is left to add below.
func binomialQuantile(n uint64, p float64, enough func(float64) bool) uint64 {
	const deviations = 12
	mean, sd := float64(n)*p, math.Sqrt(float64(n)*p*(1-p))
	k := uint64(max(0, math.Floor(mean-deviations*sd-1)))
	density := math.Exp(logBinomial(n, k, p))
	for sum := density; !enough(sum) && k < n; sum += density {
		density *= float64(n-k) / float64(k+1) * p / (1 - p)
		k++
	}
	return k
}

// logBinomial is the logarithm of the probability of k successes in n trials.
func logBinomial(n, k uint64, p float64) float64 {
	all, _ := math.Lgamma(float64(n) + 1)
	some, _ := math.Lgamma(float64(k) + 1)
	others, _ := math.Lgamma(float64(n-k) + 1)
	return all - some - others + float64(k)*math.Log(p) + float64(n-k)*math.Log1p(-p)
}
