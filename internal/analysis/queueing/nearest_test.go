package queueing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// servers simulates c servers with one line and room for k packets (0: for all), packet by
// packet, with 4 us of other delay. It has nothing in common with the package but Point.
func servers(gap, service func() float64, c, k, packets int) Point {
	var inside, latencies []float64 // when those inside leave
	free := make([]float64, c)
	now, sum, lost := 0.0, 0.0, 0
	for n := range packets {
		now += gap()
		inside = slices.DeleteFunc(inside, func(leaves float64) bool { return leaves <= now })
		if k > 0 && len(inside) >= k {
			lost++
			continue
		}
		first := slices.Index(free, slices.Min(free))
		free[first] = max(free[first], now) + service()
		inside = append(inside, free[first])
		if n >= packets/20 {
			latencies = append(latencies, 4e3+(free[first]-now))
			sum += latencies[len(latencies)-1]
		}
	}
	slices.Sort(latencies)
	count := len(latencies)
	return Point{MeanNS: sum / float64(count), P95NS: latencies[count*95/100], P99NS: latencies[count*99/100],
		LossRatio: float64(lost) / float64(packets), Packets: uint64(packets)}
}

// TestQueuesWithoutAModelOfTheirOwn: queues that no model describes by name are predicted by
// the nearest one: p99 at three quarters of what they serve, which the fit does not see, within
// 15 %, of which the scatter of the simulation is a third.
func TestQueuesWithoutAModelOfTheirOwn(t *testing.T) {
	const mu = 50e3
	below := []float64{0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9}
	over := append(slices.Clone(below), 0.95, 1, 1.1, 1.3)
	r := rand.New(rand.NewPCG(7, 7))
	random := func(mean float64) func() float64 { return func() float64 { return mean * r.ExpFloat64() } }
	constant := func(mean float64) func() float64 { return func() float64 { return mean } }
	for _, c := range []struct {
		name         string
		gap, service func(mean float64) func() float64
		servers      int
		room         int
		shares       []float64
	}{
		{"M/D/1", random, constant, 1, 0, below},
		{"D/M/1", constant, random, 1, 0, below},
		{"M/M/c", random, random, 4, 0, below},
		{"M/M/c/K", random, random, 4, 40, over},
	} {
		at := func(share float64, packets int) Point {
			p := servers(c.gap(1e9/(mu*share)), c.service(float64(c.servers)*1e9/mu), c.servers, c.room, packets)
			p.LoadPPS = mu * share
			return p
		}
		var points []Point
		for _, share := range c.shares {
			points = append(points, at(share, 60_000))
		}
		arrival := Poisson
		if c.name == "D/M/1" {
			arrival = Constant
		}
		f, err := Fit(points, Options{Arrival: arrival, NoSimulation: true, Resamples: 5})
		if err != nil {
			t.Fatal(err)
		}
		best, err := f.Best()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		left := at(0.75, 200_000)
		p := best.Predict(left.LoadPPS)
		t.Logf("%-8s %-18s mean %+5.1f %%, p99 %+5.1f %%", c.name, best.Name, 100*(p.MeanNS/left.MeanNS-1), 100*(p.P99NS/left.P99NS-1))
		if math.Abs(p.P99NS/left.P99NS-1) > 0.15 {
			t.Errorf("%s: %s predicts %.0f ns, simulated %.0f", c.name, best.Name, p.P99NS, left.P99NS)
		}
	}
}
