package impair

import (
	"math/rand/v2"

	"github.com/upflab/upflab/upf/datapath/forward"
)

// gate is a stall: nothing leaves at the end of each period.
type gate struct{ origin, pause, period uint64 }

func newGate(s Stall, origin uint64) gate {
	return gate{origin, uint64(s.For), uint64(s.Period)}
}

// pass is when something may leave that is ready at t.
func (g gate) pass(t uint64) uint64 {
	if g.period == 0 || t < g.origin {
		return t
	}
	phase := (t - g.origin) % g.period
	if phase < g.period-g.pause {
		return t
	}
	return t + g.period - phase
}

// delayer says when packets are due, none before another that came earlier.
type delayer struct {
	delay, jitter float64 // ns
	normal        bool
	random        *rand.Rand
	gate          gate
	last          uint64
}

func newDelayer(p Parameters, way forward.Direction, g gate) delayer {
	return delayer{
		delay: float64(p.Delay), jitter: float64(p.Jitter), normal: p.Distribution == Normal,
		random: newRand(p, way, sequenceDelay), gate: g,
	}
}

// due is when a packet leaves that is ready at t.
func (d *delayer) due(t uint64) uint64 {
	d.last = max(d.last, d.gate.pass(t+d.sample()))
	return d.last
}

func (d *delayer) sample() uint64 {
	switch {
	case d.jitter == 0:
		return uint64(d.delay)
	case d.normal:
		return uint64(max(0, d.delay+d.jitter*d.random.NormFloat64()))
	}
	return uint64(d.delay + d.jitter*(2*d.random.Float64()-1))
}
