package history

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// TestWireAloneIsNoChange: wire takes 25 % less or becomes 10 % slower from the 20th of 40 runs
// on, and the UPF's figures are what they were, or contain what wire's are. A change of the
// UPF itself is found at the same time, as a ratio of what is measured.
func TestWireAloneIsNoChange(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	series := func(m compare.Metric, upf, wire, wireStep, within, upfStep float64) *Series {
		s := &Series{Key: Key{Metric: m}}
		for n := range 40 {
			w, v := wire, upf
			if n >= 20 {
				w, v = w+wireStep, v+within*wireStep+upfStep
			}
			w, v = w*math.Exp(0.01*rng.NormFloat64()), v*math.Exp(0.01*rng.NormFloat64())
			p := Point{Value: v, ByWire: v / w}
			if m.Contains() {
				p.ByWire = v - w
			}
			s.Points = append(s.Points, p)
		}
		s.divide(true)
		return s
	}
	for name, s := range map[string]*Series{
		"rate, wire slower":                series(compare.RxPPS, 3e6, 6e6, -0.6e6, 0, 0),
		"delay, wire's less":               series(compare.P50, 20e3, 15e3, -3750, 0, 0),
		"delay, wire's less and in it":     series(compare.P50, 20e3, 15e3, -3750, 1, 0),
		"CPU a packet, wire's more and in": series(compare.CPU, 300, 200, 20, 1, 0),
	} {
		if len(s.Changes) > 0 {
			t.Errorf("%s: %+v", name, s.Changes)
		}
	}
	s := series(compare.P50, 20e3, 15e3, 1500, 1, 4e3)
	if len(s.Changes) != 1 || s.Changes[0].At != 20 || !s.Changes[0].Worse ||
		math.Abs(s.Changes[0].Ratio-0.2) > 0.03 || s.Levels[0].Value > 6e3 {
		t.Errorf("the UPF's own 4 of 20 us more: %+v, levels %+v", s.Changes, s.Levels)
	}
}
