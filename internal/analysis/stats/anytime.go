package stats

import (
	"math"
	"slices"
)

// A run that looks at its figures after each repeat, and ends as soon as it likes what it sees, is wrong far more
// often than 5 % with an interval for a fixed number of repeats. What is here holds at every look at once:
// processes whose mean never grows while a hypothesis is true reach 1/alpha with a probability of alpha at most
// (Ville, 1939). Such a process is an e-value at each time, and 1 over its maximum a p value.

// MedianSequence is where the median lies of what values were drawn from: a confidence sequence, which holds at all
// looks together with Confidence (Darling and Robbins, PNAS 58, 1967). It assumes no distribution: under a median m
// each value is above m with a probability of one half, and a mixture of all other coins bets against that. effect is
// by how much more the values scatter, since they depend on those before, than independent ones would: bets are worth
// so much less. ok is false where there are too few values for an interval; eight are needed at least.
func MedianSequence(values []float64) (lo, hi, effect float64, ok bool) {
	n, effect := len(values), neighbourEffect(values)
	beyond := -1 // so many values may lie outside of the interval at either end
	for k := 0; 2*k < n-1 && coinBet(n, k)/effect >= -math.Log(1-Confidence); k++ {
		beyond = k
	}
	if beyond < 0 {
		return math.Inf(-1), math.Inf(1), effect, false
	}
	sorted := slices.Sorted(slices.Values(values))
	return sorted[beyond], sorted[n-1-beyond], effect, true
}

// coinBet is the logarithm of the e-value of n throws of a coin, k of them heads, against that it is fair: the mean of
// the likelihood ratios of all coins, 2^n / ((n + 1) (n over k)).
func coinBet(n, k int) float64 {
	all, _ := math.Lgamma(float64(n) + 2)
	heads, _ := math.Lgamma(float64(k) + 1)
	tails, _ := math.Lgamma(float64(n-k) + 1)
	return float64(n)*math.Ln2 + heads + tails - all
}

// neighbourEffect is the design effect of a sequence in which each value draws the next one after it, at least 1: that
// of an autoregression of first order, by the larger correlation of the values and of their signs, neither of which
// outliers and wide tails hide together. The correlation of few values is too low by (1 + 3 r)/n (Marriott and Pope,
// Biometrika 41, 1954); a quarter of its standard error is added.
func neighbourEffect(values []float64) float64 {
	const most = 0.95
	n := float64(len(values))
	if n < 3 {
		return 1
	}
	mean, median := Mean(values), Median(values)
	r := max(neighbours(values, func(v float64) float64 { return v - mean }), neighbours(values, func(v float64) float64 { return sign(v - median) }))
	r += (1+3*max(r, 0))/n + 0.25/math.Sqrt(n)
	r = min(max(r, 0), most)
	return (1 + r) / (1 - r)
}

// neighbours is the correlation of neighbouring values, as of is of them.
func neighbours(values []float64, of func(float64) float64) float64 {
	var products, squares, last float64
	for i, v := range values {
		d := of(v)
		squares += d * d
		if i > 0 {
			products += d * last
		}
		last = d
	}
	if squares == 0 {
		return 0
	}
	return products / squares
}

func sign(v float64) float64 {
	switch {
	case v > 0:
		return 1
	case v < 0:
		return -1
	}
	return 0
}

// RepeatsToKnow is about how many values a confidence sequence needs to reach no further than wanted, when that of n
// values reaches so far: it narrows a little slower than with the square root of their number. 0: most do not suffice.
func RepeatsToKnow(n int, reach, wanted float64, most int) int {
	if !(wanted > 0) || n == 0 || math.IsInf(reach, 0) {
		return 0
	}
	const slower = 1.1 // of the exponent 2
	needed := math.Ceil(float64(n) * math.Pow(reach/wanted, 2*slower))
	if !(needed <= float64(most)) {
		return 0
	}
	return max(int(needed), n+1)
}
