package history

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// TestRegressions: a rate that fell by 5 % six runs ago is a regression. Three bad runs in a row are none, a rate that
// rose is none, and wire's own figure is none.
func TestRegressions(t *testing.T) {
	rng := rand.New(rand.NewPCG(8, 1))
	series := func(m compare.Metric, by float64, from, to int) *Series {
		s := &Series{Key: Key{Metric: m}}
		for n := range 40 {
			v := 1e6 * math.Exp(0.01*rng.NormFloat64())
			if n >= from && n < to {
				v *= 1 + by
			}
			s.Points = append(s.Points, Point{Value: v, ByWire: math.NaN()})
		}
		s.divide(false)
		return s
	}
	wire := series(compare.RxPPS, -0.05, 34, 40)
	wire.Reference = true
	for _, c := range []struct {
		story string
		s     *Series
		at    int // 0: it is none
	}{
		{"it fell", series(compare.RxPPS, -0.05, 34, 40), 34},
		{"it rose", series(compare.RxPPS, 0.05, 34, 40), 0},
		{"CPU rose", series(compare.CPU, 0.05, 34, 40), 34},
		{"three bad runs, the newest", series(compare.RxPPS, -0.05, 37, 40), 0},
		{"three bad runs, over", series(compare.RxPPS, -0.05, 35, 38), 0},
		{"it fell long ago", series(compare.RxPPS, -0.05, 20, 40), 0},
		{"wire fell", wire, 0},
	} {
		others := []*Series{c.s}
		for range 19 {
			others = append(others, series(compare.RxPPS, 0, 0, 0))
		}
		found := Regressions(others, 8)
		switch {
		case (len(found) > 0) != (c.at > 0):
			t.Errorf("%s: %d found", c.story, len(found))
		case len(found) > 0 && (found[0].Of != c.s || found[0].At < c.at-1 || found[0].At > c.at+1 || math.Abs(math.Abs(found[0].Ratio)-0.05) > 0.015 || found[0].Ratio > 0 == c.s.Metric.HigherIsBetter()):
			t.Errorf("%s: %+v", c.story, found[0])
		}
	}
}
