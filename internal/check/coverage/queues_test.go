package coverage

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/analysis/stats"
)

// queue is a UPF as a queue, served packet by packet.
type queue struct {
	mu      float64 // packets/s of all servers
	servers int
	room    int // packets, those in service included
	batch   int // the server takes up to so many at once, and they leave together
	service func(*rand.Rand) float64
}

func exponential(r *rand.Rand) float64 { return r.ExpFloat64() }

// pareto has a mean of 1 and a tail of order 2.5.
func pareto(r *rand.Rand) float64 { return 0.6 * math.Pow(1-r.Float64(), -1/2.5) }

// offer offers Poisson arrivals at a rate to a UPF of a speed, and gives how long each packet took, ns, by its
// arrival, and how many were lost.
func (q queue) offer(r *rand.Rand, pps, speed float64, packets int) (took []float64, lost int) {
	mu, now := q.mu*speed, 0.0
	free := make([]float64, max(q.servers, 1)) // when each server has nothing to do
	var leaves []float64                       // of those inside, ascending
	var waiting []float64                      // arrivals for the next batch
	ends := 0.0                                // of the batch in service
	serve := func(until float64) {
		for len(waiting) > 0 && ends <= until {
			n := min(q.batch, len(waiting))
			ends = max(ends, waiting[n-1]) + q.service(r)*float64(q.batch)/mu
			for _, at := range waiting[:n] {
				took = append(took, (ends-at)*1e9)
				leaves = append(leaves, ends)
			}
			waiting = waiting[n:]
		}
	}
	for range packets {
		now += r.ExpFloat64() / pps
		if q.batch > 0 {
			serve(now)
		}
		for len(leaves) > 0 && leaves[0] <= now {
			leaves = leaves[1:]
		}
		if len(leaves)+len(waiting) >= q.room {
			lost++
			continue
		}
		if q.batch > 0 {
			if len(waiting) == 0 && ends < now {
				ends = now
			}
			waiting = append(waiting, now)
			continue
		}
		i := slices.Index(free, slices.Min(free))
		free[i] = max(free[i], now) + q.service(r)*float64(len(free))/mu
		took = append(took, (free[i]-now)*1e9)
		at, _ := slices.BinarySearch(leaves, free[i])
		leaves = slices.Insert(leaves, at, free[i])
	}
	serve(math.Inf(1))
	return took, lost
}

// way is what the links add, ns.
const way = 5e3

func (q queue) point(r *rand.Rand, pps, speed float64, packets int) queueing.Point {
	took, lost := q.offer(r, pps, speed, packets+packets/4)
	took = took[len(took)/5:] // the queue began empty
	slices.Sort(took)
	sum := 0.0
	for _, v := range took {
		sum += v
	}
	n := len(took)
	at := func(share float64) float64 { return took[int(share*float64(n))] + way }
	return queueing.Point{LoadPPS: pps, MeanNS: sum/float64(n) + way, P50NS: at(0.5), P95NS: at(0.95), P99NS: at(0.99),
		LossRatio: float64(lost) / float64(n+lost), Packets: uint64(n + lost)}
}

var queues = []struct {
	name  string
	q     queue
	times int
}{
	{"one server, exponential times", queue{mu: 200e3, servers: 1, room: 100, service: exponential}, 40},
	{"batches of 32", queue{mu: 200e3, batch: 32, room: 256, service: exponential}, 40},
	{"two servers", queue{mu: 200e3, servers: 2, room: 100, service: exponential}, 40},
	{"Pareto times of order 2.5", queue{mu: 200e3, servers: 1, room: 200, service: pareto}, 20},
}

// safeLoads are by the model that a fit of all chooses: the interval contains the load that keeps the target, and its
// lower end, which is called safe, is not above it.
func safeLoads() (list []row) {
	for _, c := range queues {
		const trials, packets = 3, 40_000
		// The true safe load is three quarters of what the UPF serves, by the target: p99 at that load, of many packets.
		load := 0.75 * c.q.mu
		target := sync.OnceValue(func() float64 { return c.q.point(rand.New(rand.NewPCG(78, 1)), load, 1, 8_000_000).P99NS })
		list = append(list, row{
			about: "model", statement: "the safe load is above the true one, or under half of it", under: c.name + ", speed 1 % from trial to trial",
			promise: rarely, times: c.times,
			try: func(rng *rand.Rand) answer {
				var points []queueing.Point
				for _, share := range []float64{0.05, 0.2, 0.35, 0.5, 0.6, 0.7, 0.8, 0.87, 0.94, 1.05} {
					for range trials {
						points = append(points, c.q.point(rng, share*c.q.mu, math.Exp(0.01*rng.NormFloat64()), packets))
					}
				}
				f, err := queueing.Fit(points, queueing.Options{Arrival: queueing.Poisson, NoSimulation: true, Seed: 1})
				if err != nil {
					return silent
				}
				s, err := f.Safe(queueing.Target{LatencyNS: target()})
				if err != nil {
					return silent
				}
				return held(s.LowPPS <= load && s.LowPPS >= load/2)
			},
		})
	}
	return list
}

// quantiles are the intervals within a trial, by time: of this trial's device, and of no other.
func quantiles() (list []row) {
	for _, c := range []struct {
		q     float64
		load  float64
		under string
	}{{0.5, 0.5, "a queue at half load"}, {0.99, 0.5, "a queue at half load"}, {0.99, 0.8, "a queue at 80 % load"}, {0.99, 0.95, "a queue at 95 % load"}} {
		list = append(list, row{
			about: "latency", statement: fmt.Sprintf("interval of p%g of a trial of 3 s, in which the device is one", 100*c.q), under: c.under, promise: within, times: 60,
			try: func(rng *rand.Rand) answer {
				const mu, parts = 100e3, 90
				q := queue{mu: mu, servers: 1, room: 1 << 30, service: exponential}
				took, _ := q.offer(rng, c.load*mu, 1, int(3*c.load*mu))
				sorted := slices.Sorted(slices.Values(took))
				n := len(took)
				blocks := func(limit float64) (list []stats.Block) {
					for i := range parts {
						b := stats.Block{}
						for _, v := range took[i*n/parts : (i+1)*n/parts] {
							b.Of++
							if v > limit {
								b.Over++
							}
						}
						list = append(list, b)
					}
					return list
				}
				low, high, known := stats.QuantileShares(uint64(n), c.q, stats.DesignEffect(blocks(sorted[n/2])), stats.DesignEffect(blocks(sorted[int(c.q*float64(n))])))
				if !known {
					return silent
				}
				truth := -math.Log(1-c.q) / (1 - c.load) / mu * 1e9
				at, _ := slices.BinarySearch(sorted, truth)
				return held(low*float64(n) <= float64(at) && float64(at) <= high*float64(n))
			},
		})
	}
	return list
}
