package queueing

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
