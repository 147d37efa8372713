package queueing

import (
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"sync/atomic"

	"gonum.org/v1/gonum/mathext"
)

// simulatedModels fit anything with one server: slow, so tried last.
func simulatedModels(h hints, o Options) []candidate {
	poll := free(paramPoll, "s", 1e-3/h.throughput, 100/h.throughput, 0.3/h.throughput)
	return plain(simulatedModel("G/G/1/K simulated", h, o), simulatedModel("G/G/1/K polling", h, o, poll))
}

// How much a simulation within a fit offers, packets.
const simulatedPackets, simulatedWarmUp = 10000, 1500

// pollPackets is how many packets a poll takes at most: NAPI's weight.
const pollPackets = 64

func simulatedModel(name string, h hints, o Options, poll ...dimension) model {
	dims := append([]dimension{h.mu(), h.queue()}, poll...)
	if len(o.Service.SampleNS) == 0 {
		dims = append(dims, serviceSCV())
	}
	m := model{name: name, dims: oneStart(dims), slow: true, coarse: true}
	m.variability = func(v values) float64 { return (gapSCV(o) + serviceVariability(o, v)) / 2 }
	var times tableCache
	m.queue = func(load float64, v values) (law, float64) {
		service := times.get(o, v)
		s := Simulation{Gap: gapsOf(o, load), Packets: simulatedPackets, WarmUp: simulatedWarmUp, Seed: o.Seed}
		each := 1e9 / v[0]
		if len(poll) > 0 {
			s.PollNS, s.PollPackets = v[2]*1e9, pollPackets
			each = max(each-s.PollNS/pollPackets, each/100)
		}
		s.Service = func(r *rand.Rand) float64 { return each * service.draw(r) }
		return room(v[1], func(k int) (law, float64) {
			s.QueuePackets = k
			out := s.Run()
			return seconds{out}, out.LossRatio
		})
	}
	return m
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

func serviceVariability(o Options, v values) float64 {
	if len(o.Service.SampleNS) > 0 {
		return o.Service.SCV
	}
	return v[len(v)-1]
}

func gapSCV(o Options) float64 {
	switch {
	case o.Arrival == Constant:
		return 0
	case o.Arrival == Bursts && o.Burst > 0:
		return float64(o.Burst)
	}
	return 1
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

type cachedTable struct {
	scv   float64
	times table
}

func (c *tableCache) get(o Options, v values) table {
	scv := serviceVariability(o, v)
	if kept := c.last.Load(); kept != nil && kept.scv == scv {
		return kept.times
	}
	kept := &cachedTable{scv, serviceTimes(o, v)}
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

func serviceTimes(o Options, v values) table {
	if sample := o.Service.SampleNS; len(sample) > 0 {
		sorted := summary(append([]float64(nil), sample...), 0)
		return newTable(func(p float64) float64 { return sorted.QuantileNS(p) / sorted.average })
	}
	scv := v[len(v)-1]
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
// service times, room for a number of packets, and a cost for each poll.
type Simulation struct {
	// Gap and Service draw the time to the next arrival and that of one service,
	// ns.
	Gap, Service func(*rand.Rand) float64
	// QueuePackets is the room, with the packet in service; 0 is unlimited.
	QueuePackets int
	// PollNS is what starting a poll costs, ns, and PollPackets how many packets
	// one takes at most (NAPI: 64; 0 is no limit). A poll takes what is there as it
	// starts, so its cost per packet falls with load.
	PollNS      float64
	PollPackets int
	// WakeNS is what waking costs, ns, after PatienceNS or more without packets.
	WakeNS, PatienceNS float64
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
	server := newServer(s)
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
