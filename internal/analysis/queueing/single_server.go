package queueing

import "math"

// mm1 is the unlimited queue of Gross et al. 2.2: sojourn times exponential
// with rate mu - load.
func mm1(load, mu float64) (law, float64) { return exponential{mu - load}, 0 }

// mm1k has room for k packets, with the one in service (Gross et al. 2.5). A
// packet that finds n others waits for n+1 services; one that finds k is lost.
func mm1k(load, mu float64, k int) (law, float64) {
	logRatio := math.Log(load / mu)
	weights, sum := make([]float64, k), 0.0
	for n := range weights {
		weights[n] = powerOf(logRatio, n, k)
		sum += weights[n]
	}
	full := powerOf(logRatio, k, k)
	return newStages(mu, weights), full / (sum + full)
}

// powerOf is the ratio to the n, divided by the highest of the powers 0..k.
func powerOf(logRatio float64, n, k int) float64 {
	if logRatio > 0 {
		n -= k
	}
	return math.Exp(float64(n) * logRatio)
}

// dm1k has room for k packets: what arrivals find, 0..k, is a Markov chain, and
// found n the sojourn is n+1 services. The shares follow from level crossings,
// counted down from a full queue; all terms are positive.
func dm1k(load, mu float64, k int) (law, float64) {
	least := leastDone(mu / load)
	none := poisson(mu/load, 0)
	p := make([]float64, k+1)
	p[k] = 1
	end := k + 1 // shares from here on are 0 beside the others
	for j := k - 1; j >= 0; j-- {
		p[j] = downCrossings(p, least, j) / none
		if math.IsInf(p[j], 1) { // arrivals so rare that each finds nothing
			clear(p)
			p[0] = 1
			break
		}
		if p[j] > 1e200 {
			for scale(p[j:end], 1e-200); p[end-1] == 0; {
				end--
			}
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

// overs gives the probability of over 0, over 1 ... arrivals in one service.
func overs(busy float64) []float64 {
	p := newPoissonTail(busy)
	var all []float64
	for more := p.next(); more > 1e-16 && len(all) < 1000; more = p.next() {
		all = append(all, more)
	}
	return all
}

func atOr0(values []float64, i int) float64 {
	if i < len(values) {
		return values[i]
	}
	return 0
}

// poissonTail gives the probability of over 0, over 1 ... events.
type poissonTail struct {
	mean, term, more float64
	n                int
}

func newPoissonTail(mean float64) *poissonTail {
	return &poissonTail{mean: mean, term: poisson(mean, 0), more: 1}
}

func (p *poissonTail) next() float64 {
	p.more = max(p.more-p.term, 0)
	p.n++
	p.term *= p.mean / float64(p.n)
	return p.more
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
