package queueing

import (
	"math/rand/v2"
	"testing"
)

// recovered fits points of one law and checks which model is chosen.
func recovered(t *testing.T, want string, o Options, queue func(load float64) (law, float64), loads ...float64) Fitted {
	t.Helper()
	var points []Point
	for i, pps := range loads {
		l, loss := queue(pps)
		ns := func(seconds float64) float64 { return seconds*1e9*(1+0.004*float64(i%3-1)) + 3000 }
		points = append(points, Point{LoadPPS: pps, MeanNS: ns(l.mean()), P95NS: ns(quantile(l, 0.95)),
			P99NS: ns(quantile(l, 0.99)), LossRatio: loss})
	}
	o.Resamples, o.NoSimulation = 5, true
	r, err := Fit(points, o)
	if err != nil {
		t.Fatal(err)
	}
	best, err := r.Best()
	if err != nil || best.Name != want {
		list(t, r)
		t.Fatalf("%q chosen, want %s (%v)", best.Name, want, err)
	}
	return best
}

func (f Fitted) parameter(name string) float64 {
	for _, p := range f.Parameters {
		if p.Name == name {
			return p.Value
		}
	}
	return -1
}

func TestRecoversBatches(t *testing.T) {
	f := recovered(t, "M[X]/M/1/K", Options{Arrival: Poisson}, func(load float64) (law, float64) {
		return mx1k(load, 1e5, batches{mean: 6}, 100)
	}, 1e4, 3e4, 5e4, 6.5e4, 8e4, 9e4, 1e5, 1.2e5)
	if b := f.parameter(paramBatch); !near(b, 6, 0.1) || !near(f.MuPPS, 1e5, 0.02) || !near(f.QueuePackets, 100, 0.05) {
		t.Errorf("%+v", f.Parameters)
	}
}

// TestRecoversWakeUp: latency falls before it rises.
func TestRecoversWakeUp(t *testing.T) {
	f := recovered(t, "M/M/1 wake-up", Options{Arrival: Poisson}, func(load float64) (law, float64) {
		return wakeup(load, 1e5, sleeper{80e-6, 50e-6}, 1<<17)
	}, 2e3, 6e3, 1e4, 2e4, 3e4, 5e4, 7e4, 8e4, 9e4)
	if w := f.parameter(paramWake); !near(w, 80e3, 0.1) || !near(f.parameter(paramPatience), 50e3, 0.3) {
		t.Errorf("%+v", f.Parameters)
	}
}

func TestRecoversConstantArrivals(t *testing.T) {
	f := recovered(t, "D/M/1/K", Options{Arrival: Constant}, func(load float64) (law, float64) {
		return dm1k(load, 1e5, 40)
	}, 1e4, 3e4, 5e4, 7e4, 8e4, 9e4, 1e5, 1.2e5)
	if !near(f.MuPPS, 1e5, 0.01) || !near(f.QueuePackets, 40, 0.02) {
		t.Errorf("%+v", f.Parameters)
	}
}

// TestSimulationFitsTheRest: constant gaps into a server of gamma times and
// finite room is none of the formulas.
func TestSimulationFitsTheRest(t *testing.T) {
	times := serviceTimes(Options{}, 3)
	service := func(r *rand.Rand) float64 { return 1e4 * times.draw(r) }
	s := Simulation{Service: service, QueuePackets: 40, Packets: 60_000, WarmUp: 5_000, Seed: 4}
	points := measured(s, 1e5, 3000, constantTimes, 0.3, 0.6, 0.8, 0.9, 1, 1.2)
	r, err := Fit(points, Options{Arrival: Constant, Models: []string{"D/M/1/K", "G/G/1/K simulated"}, Resamples: 20})
	if err != nil {
		t.Fatal(err)
	}
	best, err := r.Best()
	if err != nil || best.Name != "G/G/1/K simulated" || !near(best.MuPPS, 1e5, 0.04) || !near(best.QueuePackets, 40, 0.1) {
		list(t, r)
		t.Error(err, best.Name)
	}
}
