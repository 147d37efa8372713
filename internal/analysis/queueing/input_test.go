package queueing

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// curve gives exact points of M/M/1/K with a delay, CPU in line with load.
func curve(mu float64, k int, delayNS float64, shares ...float64) []Point {
	var points []Point
	for _, share := range shares {
		l, loss := mm1k(mu*share, mu, k)
		ns := func(p float64) float64 { return quantile(l, p)*1e9 + delayNS }
		points = append(points, Point{LoadPPS: mu * share, MeanNS: l.mean()*1e9 + delayNS, P95NS: ns(0.95),
			P99NS: ns(0.99), LossRatio: loss, CPUCores: 0.1 + share, Packets: 1e6})
	}
	return points
}

func TestBadInput(t *testing.T) {
	good := curve(1e5, 50, 1000, 0.2, 0.5, 0.8, 0.9, 1, 1.2)
	change := func(edit func(p []Point)) []Point {
		points := append([]Point(nil), good...)
		edit(points)
		return points
	}
	each := func(edit func(p *Point)) []Point {
		return change(func(p []Point) {
			for i := range p {
				edit(&p[i])
			}
		})
	}
	for _, c := range []struct {
		story  string
		points []Point
		want   error
	}{
		{"nothing", nil, ErrFewLoads},
		{"three loads", good[:3], ErrFewLoads},
		{"one load often", append(good[:1:1], good[0], good[0], good[0], good[0]), ErrFewLoads},
		{"NaN", change(func(p []Point) { p[2].P99NS = math.NaN() }), ErrValue},
		{"infinite load", change(func(p []Point) { p[2].LoadPPS = math.Inf(1) }), ErrValue},
		{"negative latency", change(func(p []Point) { p[1].MeanNS = -1 }), ErrValue},
		{"load 0", change(func(p []Point) { p[0].LoadPPS = 0 }), ErrValue},
		{"loss in percent", change(func(p []Point) { p[5].LossRatio = 17 }), ErrValue},
		{"columns swapped", each(func(p *Point) { p.P95NS, p.P99NS = p.P99NS, p.P95NS }), ErrValue},
		{"no latency", change(func(p []Point) { p[3] = Point{LoadPPS: p[3].LoadPPS} }), ErrNoLatency},
		{"all lost", each(func(p *Point) { *p = Point{LoadPPS: p.LoadPPS, LossRatio: 1} }), ErrAllLost},
		{"saturated", curve(1e5, 50, 1000, 1.1, 1.3, 1.5, 2), ErrSaturated},
		{"never loaded", curve(1e5, 50, 100_000, 0.001, 0.002, 0.005, 0.01), ErrNeverLoaded},
	} {
		if _, err := Fit(c.points, Options{NoSimulation: true}); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.story, err, c.want)
		}
	}
}

func TestBadOptions(t *testing.T) {
	for _, o := range []Options{{Models: []string{"M/M/2"}}, {ServiceNS: []float64{math.NaN()}}, {Burst: -1}} {
		if _, err := Fit(curve(1e5, 50, 1000, 0.2, 0.5, 0.8, 1, 1.2), o); err == nil {
			t.Errorf("%+v was taken", o)
		}
	}
}

// TestAllLostAtOneLoad: a load without latency still says something of loss.
func TestAllLostAtOneLoad(t *testing.T) {
	points := append(curve(1e5, 50, 1000, 0.2, 0.5, 0.8, 0.9, 1, 1.2), Point{LoadPPS: 3e9, LossRatio: 1})
	r, err := Fit(points, Options{Models: []string{"M/M/1/K", "D/M/1/K"}, NoSimulation: true, Resamples: 10})
	if err != nil || r.Models[0].Name != "M/M/1/K" {
		t.Fatal(err, r.Models)
	}
}

// TestOrderDoesNotMatter: points in any order give the same fit.
func TestOrderDoesNotMatter(t *testing.T) {
	points := curve(1e5, 50, 1000, 0.2, 0.5, 0.8, 0.9, 1, 1.2)
	o := Options{Models: []string{"M/M/1/K"}, NoSimulation: true, Resamples: 10}
	first, _ := Fit(points, o)
	rand.Shuffle(len(points), func(i, j int) { points[i], points[j] = points[j], points[i] })
	second, _ := Fit(points, o)
	if a, b := first.Models[0], second.Models[0]; a.MuPPS != b.MuPPS || a.Parameters[0] != b.Parameters[0] {
		t.Errorf("%+v, then %+v", a.Parameters, b.Parameters)
	}
}

// FuzzFit: whatever the numbers, an error or a result with finite figures.
// TestFitBeyondNumbers: where a model has no number for a load, as where 1e-300 packets are in the queue
// or a time holds more services than an int, it fits badly, and nothing panics.
func TestFitBeyondNumbers(t *testing.T) {
	var points []Point
	for n := range 5 {
		points = append(points, Point{LoadPPS: 13.18 + float64(n)*3.6e9, MeanNS: 1.984e15 * float64(n+1),
			P99NS: 1.4285714e17 * float64(n+1), LossRatio: float64(n) / 4})
	}
	r, err := Fit(points, Options{Models: []string{"M/M/1", "M/M/1/K", "D/M/1/K"}, NoSimulation: true, Resamples: 3})
	if err != nil || r.Chosen >= 0 {
		t.Errorf("chosen %d of %d models, %v", r.Chosen, len(r.Models), err)
	}
}

func FuzzFit(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(1e3, 1e6, 2e6, 0.1, 5.0)
	f.Add(1e9, 1.0, 1.0, 1.0, 1e-9)
	f.Add(1e-9, 1e18, 1e18, 0.0, 1e9)
	f.Fuzz(func(t *testing.T, load, mean, p99, loss, step float64) {
		var points []Point
		for n := range 5 {
			points = append(points, Point{LoadPPS: load + float64(n)*step, MeanNS: mean * float64(n+1),
				P99NS: p99 * float64(n+1), LossRatio: loss * float64(n) / 4})
		}
		o := Options{Models: []string{"M/M/1", "M/M/1/K", "D/M/1/K"}, NoSimulation: true, Resamples: 3}
		r, err := Fit(points, o)
		if err != nil {
			return
		}
		for _, m := range r.Models {
			if math.IsNaN(m.MuPPS) || math.IsNaN(m.P99ErrorRatio) || math.IsNaN(m.Predict(points[0].LoadPPS).LossRatio) {
				t.Errorf("%s: %+v", m.Name, m)
			}
		}
	})
}
