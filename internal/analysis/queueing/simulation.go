package queueing

import (
	"math/rand/v2"
	"slices"
)

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
