package queueing

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
