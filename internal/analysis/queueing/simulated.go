package queueing

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync/atomic"

	"gonum.org/v1/gonum/mathext"
)

// How much a simulation within a fit offers, packets.
const simulatedPackets, simulatedWarmUp = 10000, 1500

// simulatedModel fits anything with one server: slow, so tried last.
func simulatedModel(h hints, o Options) candidate {
	dims := []dimension{h.mu(), h.queue()}
	if len(o.ServiceNS) == 0 {
		dims = append(dims, serviceSCV())
	}
	m := model{name: "G/G/1/K simulated", dims: oneStart(dims), slow: true, coarse: true}
	var times tableCache
	m.queue = func(load float64, v values) (law, float64) {
		service := times.get(o, v)
		s := Simulation{Gap: gapsOf(o, load), Packets: simulatedPackets, WarmUp: simulatedWarmUp, Seed: o.Seed}
		s.Service = func(r *rand.Rand) float64 { return 1e9 / v[0] * service.draw(r) }
		return room(v[1], func(k int) (law, float64) {
			s.QueuePackets = k
			out := s.Run()
			return seconds{out}, out.LossRatio
		})
	}
	return candidate{model: m}
}

// oneStart keeps the first start of each parameter: each evaluation is slow.
func oneStart(dims []dimension) []dimension {
	for i := range dims {
		if dims[i].name != paramSCV {
			dims[i].starts = dims[i].starts[:1]
		}
	}
	return dims
}

// gapsOf draws the gaps of the arrivals, ns.
func gapsOf(o Options, load float64) func(*rand.Rand) float64 {
	gap := 1e9 / load
	switch {
	case o.Arrival == Constant:
		return func(*rand.Rand) float64 { return gap }
	case o.Arrival == Bursts && o.Burst > 0:
		n := 0
		return func(*rand.Rand) float64 {
			n++
			return gap * float64(o.Burst) * boolFloat(n%o.Burst == 0)
		}
	}
	return func(r *rand.Rand) float64 { return gap * r.ExpFloat64() }
}

// seconds is what a simulation gave, as a law.
type seconds struct{ Simulated }

func (s seconds) mean() float64 { return max(s.MeanNS(), 1e-3) * 1e-9 }

func (s seconds) tail(t float64) float64 {
	n := len(s.sorted)
	return float64(n-sort.SearchFloat64s(s.sorted, t*1e9)) / float64(max(n, 1))
}

// table is a distribution of mean 1 as its quantiles at 1-exp(-x), x in steps of
// tableStep: dense in the tail.
type table []float64

const tableSize, tableStep = 256, 0.06

// tableCache keeps the last table: all loads of one evaluation need the same.
type tableCache struct {
	last atomic.Pointer[cachedTable]
}

// cachedTable is the table of gamma times of a squared coefficient of variation.
type cachedTable struct {
	scv   float64
	times table
}

func (c *tableCache) get(o Options, v values) table {
	scv := v[len(v)-1]
	if len(o.ServiceNS) > 0 {
		scv = 0
	}
	if kept := c.last.Load(); kept != nil && kept.scv == scv {
		return kept.times
	}
	kept := &cachedTable{scv, serviceTimes(o, scv)}
	c.last.Store(kept)
	return kept.times
}

// draw needs one random number whatever the distribution, so that simulations
// with other parameters see the same luck.
func (t table) draw(r *rand.Rand) float64 {
	x := min(r.ExpFloat64()/tableStep, tableSize-1.001)
	i := int(x)
	return t[i] + (x-float64(i))*(t[i+1]-t[i])
}

// serviceTimes are those of the sample, or gamma times of a squared coefficient of variation.
func serviceTimes(o Options, scv float64) table {
	if len(o.ServiceNS) > 0 {
		sorted := summary(slices.Clone(o.ServiceNS), 0)
		return newTable(func(p float64) float64 { return sorted.QuantileNS(p) / sorted.average })
	}
	return newTable(func(p float64) float64 { return mathext.GammaIncRegInv(1/scv, min(p, 1-1e-9)) * scv })
}

func newTable(at func(p float64) float64) table {
	t := make(table, tableSize)
	for i := range t {
		t[i] = at(-math.Expm1(-float64(i) * tableStep))
	}
	return t
}

// Simulation is a queue with one server, run packet by packet: any arrivals, any
// service times, and room for a number of packets.
type Simulation struct {
	// Gap and Service draw the time to the next arrival and that of one service,
	// ns.
	Gap, Service func(*rand.Rand) float64
	// QueuePackets is the room, with the packet in service; 0 is unlimited.
	QueuePackets int
	// Packets are offered; the first WarmUp of them are not counted.
	Packets, WarmUp int
	Seed            uint64
}

// Simulated is what came out.
type Simulated struct {
	LossRatio float64
	sorted    []float64
	average   float64
}

// MeanNS is the mean sojourn of the packets that were not lost; 0 if all were.
func (s Simulated) MeanNS() float64 { return s.average }

// QuantileNS is the sojourn that a share p, 0..1, of them did not exceed.
func (s Simulated) QuantileNS(p float64) float64 {
	if len(s.sorted) == 0 {
		return 0
	}
	at := min(max(p, 0), 1) * float64(len(s.sorted)-1)
	low := int(at)
	high := min(low+1, len(s.sorted)-1)
	return s.sorted[low] + (at-float64(low))*(s.sorted[high]-s.sorted[low])
}

// Run simulates. The same seed gives the same result, and random numbers do not
// depend on what is lost.
func (s Simulation) Run() Simulated {
	gaps := rand.New(rand.NewPCG(s.Seed, 1))
	services := rand.New(rand.NewPCG(s.Seed, 2))
	server := server{leaves: make([]float64, s.QueuePackets)}
	now, lost := 0.0, 0
	latencies := make([]float64, 0, max(s.Packets-s.WarmUp, 0))
	for n := range s.Packets {
		now += s.Gap(gaps)
		service := s.Service(services)
		leaves, ok := server.take(now, service)
		switch {
		case n < s.WarmUp:
		case !ok:
			lost++
		default:
			latencies = append(latencies, leaves-now)
		}
	}
	return summary(latencies, lost)
}

func summary(latencies []float64, lost int) Simulated {
	sum := 0.0
	for _, v := range latencies {
		sum += v
	}
	slices.Sort(latencies)
	count := len(latencies)
	return Simulated{
		LossRatio: float64(lost) / float64(max(count+lost, 1)),
		sorted:    latencies, average: sum / float64(max(count, 1)),
	}
}

// server is the state of a simulated queue, times in ns.
type server struct {
	leaves []float64 // a ring of when the last packets leave, one per place; none: room for all
	next   int
	free   float64 // when the server has done all it has
}

// take says when a packet leaves. Packets leave in order: false is lost, because the packet
// that was taken as many packets ago as there is room is still there.
func (s *server) take(now, service float64) (leaves float64, ok bool) {
	if len(s.leaves) > 0 && s.leaves[s.next] > now {
		return 0, false
	}
	s.free = max(now, s.free) + service
	if len(s.leaves) > 0 {
		s.leaves[s.next] = s.free
		s.next = (s.next + 1) % len(s.leaves)
	}
	return s.free, true
}
