package queueing

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// queueTrial is what a trial of a queue of exponential gaps and service times comes to, packet by
// packet, with a way of 5 us. It has nothing in common with the package but Point.
func queueTrial(r *rand.Rand, mu, load float64, packets int) Point {
	all := make([]float64, packets)
	wait, sum := 0.0, 0.0
	if r.Float64() < load {
		wait = r.ExpFloat64() / (1 - load)
	}
	for i := range all {
		took := wait + r.ExpFloat64()
		all[i] = 5e3 + took*1e9/mu
		sum += all[i]
		wait = max(0, took-r.ExpFloat64()/load)
	}
	slices.Sort(all)
	return Point{LoadPPS: load * mu, MeanNS: sum / float64(packets), P50NS: all[packets/2],
		P95NS: all[packets*95/100], P99NS: all[packets*99/100], Packets: uint64(packets)}
}

// The interval of the safe load contains the true one, and its lower limit is not above it, as
// often as it says. Of mean, p95 and p99 drawn one by one it contained it in half of the studies.
func TestSafeLoadCovers(t *testing.T) {
	const mu, target, repeats, packets = 200e3, 105e3, 3, 40_000
	studies := 40
	if testing.Short() {
		studies = 10
	}
	truth := mu - math.Log(100)/(target-5e3)*1e9
	r := rand.New(rand.NewPCG(4, 4))
	covered, safe, given := 0, 0, 0
	for range studies {
		var points []Point
		for _, load := range []float64{0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.88, 0.94} {
			for range repeats {
				points = append(points, queueTrial(r, mu, load, packets))
			}
		}
		f, err := Fit(points, Options{Arrival: Poisson, Models: []string{"M/M/1"}, NoSimulation: true, Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Safe(Target{LatencyNS: target})
		if err != nil {
			t.Log(err)
			continue
		}
		given++
		if s.LowPPS <= truth {
			safe++
			if truth <= s.HighPPS {
				covered++
			}
		}
	}
	t.Logf("of %d studies the interval contains the true safe load in %d, and its lower limit is below it in %d", given, covered, safe)
	if share := float64(covered) / float64(given); given < studies*9/10 || share < 0.9 || float64(safe)/float64(given) < 0.95 {
		t.Errorf("covered in %.2f of %d", share, given)
	}
}
