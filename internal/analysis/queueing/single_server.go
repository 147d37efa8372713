package queueing

import (
	"math"
)

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

// constantService is the sojourn time of M/D/1 and M/D/1/K. By PASTA an arrival
// sees the queue as it is at any time: idle, or with n packets while the first
// has been served for a time that is uniform between 0 and the service time;
// what has arrived in that time is Poisson.
type constantService struct {
	load, service float64
	start         []float64 // start[j]: share of services that begin with j+1 packets
	below         []float64 // below[n]: share of accepted packets that find under n
	average       float64
}

func (c constantService) mean() float64 { return c.average }

// tail: a packet that finds n, of which the first is served for x, leaves after
// (n+1) services less x.
func (c constantService) tail(t float64) float64 {
	k := int(t / c.service)
	switch {
	case k == 0:
		return 1
	case k >= len(c.below)-1:
		return 0
	}
	after := float64(k+1)*c.service - t
	return max(1-c.below[k]-c.found(k, after), 0)
}

// found is the share that finds k packets, the first of them served for longer
// than x.
func (c constantService) found(k int, x float64) float64 {
	late, early := newPoissonTail(c.load*c.service), newPoissonTail(c.load*x)
	sum := 0.0
	for m := 0; m < k && m < 400; m++ {
		more := late.next()
		sum += c.at(k-m) * (more - early.next())
		if more < 1e-17 {
			break
		}
	}
	return sum
}

// at is the share of services that begin with n packets.
func (c constantService) at(n int) float64 {
	if n > len(c.start) {
		return 0
	}
	return c.start[n-1]
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

// md1 is the unlimited queue with constant service: the mean is Pollaczek and
// Khinchine's, the distribution that of M/D/1/K with room beyond its tail.
func md1(load, mu float64) (law, float64) {
	busy := load / mu
	l := newConstantService(load, 1/mu, departures(busy, 1<<17))
	l.average = (1 + busy/(2*(1-busy))) / mu
	return l, 0
}

// md1k has room for k packets, with the one in service (Cooper 5.9; Gross et
// al. 5.1.8).
func md1k(load, mu float64, k int) (law, float64) {
	if k == 1 {
		return uniform{1 / mu, 1 / mu}, load / (load + mu)
	}
	left := departures(load/mu, k)
	accepted := 1 / (left[0] + load/mu)
	l := newConstantService(load, 1/mu, left)
	inside := float64(k) * (1 - accepted)
	for n, p := range left {
		inside += float64(n) * p * accepted
	}
	l.average = inside / (load * accepted)
	return l, 1 - accepted
}

// departures is how many packets a departure leaves behind, 0..k-1, from the
// level crossings up and down, whose terms are all positive and so keep their
// precision in overload. It ends early where the tail is negligible.
func departures(busy float64, k int) []float64 {
	over := overs(busy)
	none := poisson(busy, 0)
	left := []float64{1}
	sum := 1.0
	for j := 0; j+1 < k; j++ {
		up := left[0] * atOr0(over, j)
		for i := max(1, j+1-len(over)+1); i <= j; i++ {
			up += left[i] * over[j-i+1]
		}
		next := up / none
		left, sum = append(left, next), sum+next
		if next < 1e-13*sum && busy < 1 {
			break
		}
		if sum > 1e200 {
			scale(left, 1e-200)
			sum *= 1e-200
		}
	}
	return normal(left)
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

// newConstantService builds the law from what departures leave behind, which is
// also what accepted arrivals find. A service begins with what was left, or with
// the next arrival.
func newConstantService(load, service float64, left []float64) constantService {
	c := constantService{load: load, service: service, start: make([]float64, max(len(left)-1, 1))}
	c.start[0] = left[0]
	for n := 1; n < len(left); n++ {
		c.start[n-1] += left[n]
	}
	c.below = make([]float64, len(left)+1)
	for n, p := range left {
		c.below[n+1] = c.below[n] + p
	}
	return c
}

// mg1 is Pollaczek and Khinchine's queue: the wait has the transform
// (1-busy) s / (s - load + load B(s)), the mean wait is
// busy (1+scv) / (2 (1-busy)) services.
func mg1(load float64, service gamma) (law, float64) {
	busy := load * service.average
	rate := complex(load, 0)
	return transformed{
		average: service.average * (1 + busy*(1+service.scv)/(2*(1-busy))),
		transform: func(s complex128) complex128 {
			b := service.transform(s)
			return complex(1-busy, 0) * s * b / (s - rate + rate*b)
		},
	}, 0
}

// meanWait of a G/G/1 queue, in services, from how busy the server is and the
// scv of gaps and of service times.
type meanWait func(busy, gaps, service float64) float64

// kingman is the heavy traffic approximation of Kingman 1961.
func kingman(busy, gaps, service float64) float64 {
	return busy / (1 - busy) * (gaps + service) / 2
}

// marchal is Marchal's 1976 correction of Kingman's bound: exact for M/G/1.
func marchal(busy, gaps, service float64) float64 {
	square := busy * busy
	return busy * (1 + service) * (gaps + square*service) / (2 * (1 - busy) * (1 + square*service))
}

// gg1 takes the mean wait from an approximation; a share of packets that is how
// busy the server is waits, for an exponential time.
func gg1(load float64, service gamma, gaps float64, wait meanWait) (law, float64) {
	busy := load * service.average
	average := service.average * wait(busy, gaps, service.scv)
	waits, whenWaiting := complex(busy, 0), complex(average/busy, 0)
	return transformed{
		average: service.average + average,
		transform: func(s complex128) complex128 {
			return (1 - waits + waits/(1+s*whenWaiting)) * service.transform(s)
		},
	}, 0
}
