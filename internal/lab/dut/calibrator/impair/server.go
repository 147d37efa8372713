package impair

import (
	"math/rand/v2"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// server is one server with a queue before it: D/1/K with constant and M/1/K
// with exponential service, the K packets of the room being those that wait and
// those that are served. It keeps its own time, which is that of the arrivals:
// call advance before offer.
type server struct {
	interval    float64 // mean service time, ns
	exponential bool
	room, batch int
	random      *rand.Rand
	gate        gate

	waiting fifo
	serving fifo
	until   uint64  // when those served leave
	carry   float64 // the part of a ns that is still owed
}

func newServer(p Parameters, way forward.Direction, g gate) *server {
	if p.Rate == 0 {
		return nil
	}
	return &server{
		interval: 1e9 / p.Rate, exponential: p.Service == Exponential, room: p.Queue, batch: p.Batch,
		random: newRand(p, way, sequenceService), gate: g,
		waiting: newFIFO(p.Queue), serving: newFIFO(p.Batch),
	}
}

// inside is how many packets wait or are served.
func (s *server) inside() int { return s.waiting.len() + s.serving.len() }

// offer takes the packet in, unless there is no room.
func (s *server) offer(p *packet) bool {
	if s.inside() >= s.room {
		return false
	}
	s.waiting.push(p)
	if s.serving.len() == 0 {
		s.start(p.arrival)
	}
	return true
}

// advance gives to out what has been served by now.
func (s *server) advance(now uint64, out func(p *packet, at uint64)) {
	for s.serving.len() > 0 && s.until <= now {
		at := s.until
		for p := s.serving.pop(); p != nil; p = s.serving.pop() {
			out(p, at)
		}
		s.start(at)
	}
}

// start serves what waits, a batch at most.
func (s *server) start(at uint64) {
	n := min(s.waiting.len(), s.batch)
	if n == 0 {
		return
	}
	for range n {
		s.serving.push(s.waiting.pop())
	}
	s.until = s.gate.pass(at + s.time(n))
}

// time is what serving n packets takes, ns.
func (s *server) time(n int) uint64 {
	factor := 1.0
	if s.exponential {
		factor = s.random.ExpFloat64()
	}
	s.carry += s.interval * float64(n) * factor
	whole := uint64(s.carry)
	s.carry -= float64(whole)
	return whole
}
