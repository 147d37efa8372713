package modelling

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/record"
)

func TestSafeLoadAsMeasured(t *testing.T) {
	at := func(pps, p99, loss, cores float64) queueing.Point {
		return queueing.Point{LoadPPS: pps, P99NS: p99, LossRatio: loss, CPUCores: cores}
	}
	thrice := func(p queueing.Point) []queueing.Point { return []queueing.Point{p, p, p} }
	f := Found{Points: slices.Concat(
		thrice(at(1000, 5000, 0, 0.1)),
		[]queueing.Point{at(2000, 6000, 0, 0.2), at(2000, 6000, 0, 0.2), at(2000, 9e9, 0.5, 0.2)}, // one of three repeats is off
		thrice(at(3000, 50_000, 0, 0.3)), thrice(at(4000, 5000, 0, 0.4)), thrice(at(5000, 60_000, 0.2, 0.5)))}
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

// TestSafeLoadOfOneRepeat: of a queue M/M/1 whose speed differs from trial to trial, and whose p99 is known to 10 %, one
// repeat and two give safe loads that are above the true one in a few of a hundred studies, and are not far below it.
func TestSafeLoadOfOneRepeat(t *testing.T) {
	const studies, loads = 400, 8
	for _, speed := range []float64{0, 0.02, 0.05} {
		for _, repeats := range []int{1, 2} {
			r := rand.New(rand.NewPCG(uint64(repeats), 7))
			above, found, share := 0, 0, 0.0
			for range studies {
				capacity := 1e5 * math.Exp(0.3*r.NormFloat64())
				target := math.Log(100) / (capacity * (0.05 + 0.35*r.Float64())) // s, at 60 to 95 % of the capacity
				truth, highest := capacity-math.Log(100)/target, capacity*(0.9+0.2*r.Float64())
				var points []queueing.Point
				for i := range loads {
					load := highest * (0.3 + 0.7*float64(i)/(loads-1))
					for range repeats {
						p := queueing.Point{LoadPPS: load, P99NS: 1e15}
						if now := capacity * math.Exp(speed*r.NormFloat64()); load < now {
							p.P99NS = 1e9 * math.Log(100) / (now - load) * math.Exp(0.1*r.NormFloat64())
						}
						points = append(points, p)
					}
				}
				s := Found{Points: points}.measuredSafeLoads([]record.LoadTarget{{P99NS: 1e9 * target}})[0]
				if s.PPS > truth {
					above++
				}
				if s.PPS > 0 {
					found++
					share += s.PPS / truth
				}
			}
			if above > studies*25/1000 || found < studies*9/10 || share/float64(found) < 0.7 {
				t.Errorf("speed ± %g, %d repeats: %d of %d above the truth, %d found, at %.2f of it", speed, repeats, above, studies, found, share/float64(found))
			}
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
		for range 3 {
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
