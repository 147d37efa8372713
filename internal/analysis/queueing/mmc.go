package queueing

import "math"

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
