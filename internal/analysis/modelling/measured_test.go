package modelling

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

func TestSafeLoadAsMeasured(t *testing.T) {
	at := func(pps, p99, loss, cores float64) queueing.Point {
		return queueing.Point{LoadPPS: pps, P99NS: p99, LossRatio: loss, CPUCores: cores}
	}
	f := Found{Points: []queueing.Point{
		at(1000, 5000, 0, 0.1), at(2000, 6000, 0, 0.2), at(2000, 6000, 0, 0.2), at(2000, 9e9, 0.5, 0.2), // one of three repeats is off
		at(3000, 50_000, 0, 0.3), at(4000, 5000, 0, 0.4), at(5000, 60_000, 0.2, 0.5),
	}}
	for _, c := range []struct {
		story               string
		target              record.LoadTarget
		pps, estimate, high float64
		atLeast             bool
	}{
		{"the first load that breaks it ends it, and one of three repeats lowers what is safe",
			record.LoadTarget{P99NS: 10_000}, 1000, 2000, 3000, false},
		{"of loss alone", record.LoadTarget{LossRatio: 0.001}, 1000, 4000, 5000, false},
		{"all loads keep it", record.LoadTarget{LossRatio: 0.5}, 5000, 5000, 5000, true},
		{"none keeps it", record.LoadTarget{P99NS: 1}, 0, 0, 0, false},
	} {
		s := f.measuredSafeLoads([]record.LoadTarget{c.target})[0]
		if s.PPS != c.pps || s.EstimatePPS != c.estimate || s.LowPPS != s.PPS || s.HighPPS != c.high ||
			s.AtLeast != c.atLeast || !s.Measured || s.Why == "" {
			t.Errorf("%s: %+v", c.story, s)
		}
		if s.CPUCores != c.pps/10_000 {
			t.Errorf("%s: %v cores", c.story, s.CPUCores)
		}
	}
}

// queueLoads are loads of a queue without a known law: p99 grows with the load, and repeats
// scatter. It knows nothing of the package.
func queueLoads(r *rand.Rand, repeats int) (points []queueing.Point, truth float64) {
	for _, load := range []float64{10e3, 20e3, 30e3, 40e3, 50e3} {
		for range repeats {
			points = append(points, queueing.Point{LoadPPS: load, P99NS: load * math.Exp(0.2*r.NormFloat64())})
		}
	}
	return points, 40e3
}

// The safe load as measured is not above the true one but in a few of a hundred studies, though
// the next load is barely over the target.
func TestMeasuredSafeLoadIsSafe(t *testing.T) {
	const studies = 300
	r := rand.New(rand.NewPCG(2, 3))
	for _, repeats := range []int{5, 10} {
		above, estimated := 0, 0
		for range studies {
			points, truth := queueLoads(r, repeats)
			s := Found{Points: points, Result: queueing.Result{Chosen: -1}}.SafeLoads([]record.LoadTarget{{P99NS: 45e3}})[0]
			if s.PPS > truth {
				above++
			}
			if s.EstimatePPS > truth {
				estimated++
			}
		}
		t.Logf("%d repeats: the safe load is above the true one in %d of %d studies, the estimate in %d", repeats, above, studies, estimated)
		if above > studies*5/100 || estimated <= above {
			t.Errorf("%d repeats: %d of %d above", repeats, above, studies)
		}
	}
}

// Where no model fits, the safe load is as measured, wherever the measurements come from.
func TestTableWithoutAModel(t *testing.T) {
	var points []queueing.Point
	for load, us := range map[float64]float64{100: 20, 200: 90, 300: 30, 350: 110, 400: 140, 450: 260} {
		for range 2 {
			points = append(points, queueing.Point{LoadPPS: 1e3 * load, MeanNS: us * 900, P99NS: us * 1e3, Packets: 1e6})
		}
	}
	f := FitPoints(points, queueing.Poisson, 0, Options{Models: []string{"M/M/1"}})
	if f.Err != nil || f.Result.Chosen >= 0 {
		t.Fatalf("%v, model %d", f.Err, f.Result.Chosen)
	}
	if s := f.SafeLoads([]record.LoadTarget{{P99NS: 200e3}})[0]; s.PPS != 400e3 || s.HighPPS != 450e3 || !s.Measured {
		t.Errorf("%+v", s)
	}
}
