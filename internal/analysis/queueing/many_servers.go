package queueing

import (
	"math"
)

// delayed is the sojourn time of M/M/c: some packets wait an exponential time,
// all are served for another one.
type delayed struct{ share, waitRate, mu float64 }

func (d delayed) mean() float64 { return d.share/d.waitRate + 1/d.mu }

func (d delayed) tail(t float64) float64 {
	served := math.Exp(-d.mu * t)
	return (1-d.share)*served + d.share*d.both(t)
}

// both is the tail of wait and service together.
func (d delayed) both(t float64) float64 {
	if gap := d.mu - d.waitRate; math.Abs(gap) > 1e-7*d.mu {
		return (d.mu*math.Exp(-d.waitRate*t) - d.waitRate*math.Exp(-d.mu*t)) / gap
	}
	return (1 + d.mu*t) * math.Exp(-d.mu*t)
}

// mmc has c servers of rate mu each (Gross et al. 2.3).
func mmc(load, mu float64, c int) (law, float64) {
	return delayed{erlangC(load/mu, c), float64(c)*mu - load, mu}, 0
}

// erlangC is the probability to wait, from Erlang's loss formula by its
// recursion.
func erlangC(offered float64, c int) float64 {
	b := 1.0
	for n := 1; n <= c; n++ {
		b = offered * b / (float64(n) + offered*b)
	}
	busy := offered / float64(c)
	return b / (1 - busy*(1-b))
}

// mmck has room for k packets with those in the c servers (Gross et al. 2.5).
// Its stages have the rate of all servers together: a service of one server is
// a geometric number of them, c in the mean.
func mmck(load, mu float64, c, k int) (law, float64) {
	k = max(k, c)
	p := birthDeath(k, func(n int) float64 { return load / (mu * float64(min(n+1, c))) })
	waits := make([]float64, max(k-c+1, 1))
	for n := range k {
		waits[max(n-c+1, 0)] += p[n]
	}
	all := withGeometric(waits, float64(c))
	return newStages(mu*float64(c), all[1:]), p[k]
}

// birthDeath gives the shares of time in states 0..k, where up(n) is the rate
// from n to n+1 over the rate back.
func birthDeath(k int, up func(n int) float64) []float64 {
	p := make([]float64, k+1)
	p[0] = 1
	for n := range k {
		p[n+1] = p[n] * up(n)
		if p[n+1] > 1e200 {
			scale(p[:n+2], 1e-200)
		}
	}
	return normal(p)
}

func scale(values []float64, by float64) {
	for i := range values {
		values[i] *= by
	}
}

// normal divides values by their sum, in place.
func normal(values []float64) []float64 {
	sum := 0.0
	for _, v := range values {
		sum += v
	}
	scale(values, 1/sum)
	return values
}

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
