package queueing

import (
	"math"
	"math/rand/v2"
	"testing"
)

func exponentialTimes(mean float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return mean * r.ExpFloat64() }
}

func constantTimes(ns float64) func(*rand.Rand) float64 {
	return func(*rand.Rand) float64 { return ns }
}

// measured simulates points at shares of mu, with a delay, as a trial would give
// them.
func measured(s Simulation, mu, delayNS float64, gap func(mean float64) func(*rand.Rand) float64, shares ...float64) []Point {
	var points []Point
	for i, share := range shares {
		s.Seed = s.Seed*31 + uint64(i) + 1
		s.Gap = gap(1e9 / (mu * share))
		out := s.Run()
		points = append(points, Point{
			LoadPPS: mu * share, LossRatio: out.LossRatio, Packets: uint64(s.Packets),
			MeanNS: out.MeanNS() + delayNS, P50NS: out.QuantileNS(0.5) + delayNS, P95NS: out.QuantileNS(0.95) + delayNS,
			P99NS: out.QuantileNS(0.99) + delayNS, P999NS: out.QuantileNS(0.999) + delayNS,
		})
	}
	return points
}

var sweep = []float64{0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.1, 1.3}

func list(t *testing.T, r Result) {
	t.Helper()
	for _, f := range r.Models {
		t.Logf("%-18s %-20s aicc %8.1f error %.3f left out %.3f structure %.4f mu %.0f K %.1f %+v",
			f.Name, f.Rejected, f.AICc, f.ErrorRatio, f.P99ErrorRatio, f.StructureP, f.MuPPS, f.QueuePackets, f.Parameters)
	}
}

func TestFindsMM1K(t *testing.T) {
	const mu, k = 80e3, 64
	found := 0
	for seed := range uint64(10) {
		s := Simulation{Service: exponentialTimes(1e9 / mu), QueuePackets: k, Packets: 100_000, WarmUp: 10_000, Seed: seed}
		points := measured(s, mu, 9000, exponentialTimes, sweep...)
		r, err := Fit(points, Options{Arrival: Poisson, Seed: seed, NoSimulation: true, Resamples: 20})
		if err != nil {
			t.Fatal(err)
		}
		best, err := r.Best()
		if err != nil || best.Name != "M/M/1/K" {
			t.Logf("seed %d: %v %q", seed, err, best.Name)
			list(t, r)
			continue
		}
		if math.Abs(best.MuPPS/mu-1) < 0.03 && math.Abs(best.QueuePackets-k) < 2 {
			found++
		}
		s.Seed, s.Packets = 1000+seed, 400_000
		left := measured(s, mu, 9000, exponentialTimes, 0.75)[0]
		if p := best.Predict(left.LoadPPS); math.Abs(p.P99NS/left.P99NS-1) > 0.1 {
			t.Errorf("seed %d: p99 %g at a load left out, simulated %g", seed, p.P99NS, left.P99NS)
		}
	}
	if found < 9 {
		t.Errorf("%d of 10", found)
	}
}

// TestConstantServiceIsMG1: of the models, the general one has room for constant times.
func TestConstantServiceIsMG1(t *testing.T) {
	const mu = 50e3
	s := Simulation{Service: constantTimes(1e9 / mu), Packets: 150_000, WarmUp: 10_000, Seed: 5}
	points := measured(s, mu, 4000, exponentialTimes, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9)
	r, err := Fit(points, Options{Arrival: Poisson, Resamples: 40})
	if err != nil {
		t.Fatal(err)
	}
	best, err := r.Best()
	if err != nil || best.Name != "M/G/1" || math.Abs(best.MuPPS/mu-1) > 0.03 {
		list(t, r)
		t.Fatal(err, best.Name)
	}
	s.Seed, s.Packets = 77, 600_000
	left := measured(s, mu, 4000, exponentialTimes, 0.75)[0]
	if p := best.Predict(left.LoadPPS); math.Abs(p.P99NS/left.P99NS-1) > 0.1 {
		t.Errorf("p99 %g, simulated %g", p.P99NS, left.P99NS)
	}
}

// TestStudysModel: L = fac/(mu - load) + c of the study of Open5GS, of the means alone, is
// the unlimited queue of batches: fac is the mean batch.
func TestStudysModel(t *testing.T) {
	var points []Point
	for load := 1000.0; load <= 7000; load += 1000 {
		points = append(points, Point{LoadPPS: load, MeanNS: 2e9/(7400-load) + 1.5e6})
	}
	r, err := Fit(points, Options{Models: []string{"M[X]/M/1"}, NoSimulation: true, Resamples: 5})
	if err != nil {
		t.Fatal(err)
	}
	best, err := r.Best()
	if err != nil || !near(best.MuPPS, 7400, 1e-3) || !near(best.parameter(paramBatch), 2, 1e-2) ||
		!near(best.parameter(paramDelay), 1.5e6, 1e-2) {
		list(t, r)
		t.Error(err)
	}
}
