package queueing

import "math"

// dm1 has constant gaps and exponential service (Kleinrock 6.4): the sojourn
// time is exponential with rate mu (1 - sigma), where sigma is the root below 1
// of sigma = exp(-(mu/load)(1 - sigma)).
func dm1(load, mu float64) (law, float64) {
	gap := mu / load
	lo, hi := 0.0, 1.0
	if gap < 1 {
		return exponential{mu - load}, 0 // unstable; the caller never asks
	}
	for range 200 {
		s := (lo + hi) / 2
		if math.Exp(-gap*(1-s)) > s {
			lo = s
		} else {
			hi = s
		}
	}
	return exponential{mu * (1 - (lo+hi)/2)}, 0
}

// dm1k has room for k packets: what arrivals find, 0..k, is a Markov chain, and
// found n the sojourn is n+1 services. The shares follow from level crossings,
// counted down from a full queue; all terms are positive.
func dm1k(load, mu float64, k int) (law, float64) {
	least := leastDone(mu / load)
	none := poisson(mu/load, 0)
	p := make([]float64, k+1)
	p[k] = 1
	for j := k - 1; j >= 0; j-- {
		p[j] = downCrossings(p, least, j) / none
		if p[j] > 1e200 {
			scale(p[j:], 1e-200)
		}
	}
	normal(p)
	return newStages(mu, p[:k]), p[k]
}

// downCrossings is the rate from over j packets to at most j. least[m] is the
// probability of m or more services in a gap.
func downCrossings(p, least []float64, j int) float64 {
	k := len(p) - 1
	sum := p[k] * atOr0(least, k-j)
	for i := j + 1; i < k && i+1-j < len(least); i++ {
		sum += p[i] * least[i+1-j]
	}
	return sum
}

// leastDone gives the probability of at least 0, at least 1 ... services in a
// gap in which mean would be done.
func leastDone(mean float64) []float64 {
	return append([]float64{1}, overs(mean)...)
}

// dd1k is constant on both sides: no wait below saturation, a full queue above,
// where a packet enters as the one in front leaves.
func dd1k(load, mu float64, k int) (law, float64) {
	if load <= mu {
		return uniform{1 / mu, 1 / mu}, 0
	}
	full := float64(k) / mu
	return uniform{max(full-1/load, 1/mu), full}, 1 - mu/load
}
