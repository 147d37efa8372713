package queueing

import (
	"errors"
	"math"
	"testing"
)

func fitCurve(t *testing.T, shares ...float64) Result {
	t.Helper()
	r, err := Fit(curve(1e5, 50, 20_000, shares...), Options{Models: []string{"M/M/1/K"}, Resamples: 50, NoSimulation: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestSafeLoad: the p99 at the safe load is the target, and the CPU is that of
// the load.
func TestSafeLoad(t *testing.T) {
	r := fitCurve(t, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1, 1.2)
	s, err := r.Safe(Target{LatencyNS: 200_000})
	if err != nil {
		t.Fatal(err)
	}
	l, _ := mm1k(s.PPS, 1e5, 50)
	if got := quantile(l, 0.99)*1e9 + 20_000; !near(got, 200_000, 0.01) {
		t.Errorf("p99 is %g ns at %g pps", got, s.PPS)
	}
	if !(s.LowPPS <= s.PPS && s.PPS <= s.HighPPS) || s.AtLeast {
		t.Errorf("%+v", s)
	}
	if !near(s.CPUCores, 0.1+s.LowPPS/1e5, 0.01) {
		t.Errorf("CPU %g at %g pps", s.CPUCores, s.PPS)
	}
}

func TestSafeLoadForLoss(t *testing.T) {
	r := fitCurve(t, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1, 1.2)
	s, err := r.Safe(Target{LossRatio: 0.001})
	if err != nil {
		t.Fatal(err)
	}
	if _, loss := mm1k(s.PPS, 1e5, 50); !near(loss, 0.001, 0.1) {
		t.Errorf("loss %g at %g pps", loss, s.PPS)
	}
	both, _ := r.Safe(Target{LossRatio: 0.001, LatencyNS: 200_000})
	if both.PPS >= s.PPS {
		t.Errorf("%g pps for both, %g for loss alone", both.PPS, s.PPS)
	}
}

func TestTargets(t *testing.T) {
	r := fitCurve(t, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9, 1, 1.2)
	for _, c := range []struct {
		target Target
		want   error
	}{
		{Target{}, ErrTarget}, {Target{LatencyNS: -1}, ErrTarget}, {Target{LossRatio: 1}, ErrTarget},
		{Target{LatencyNS: math.NaN()}, ErrTarget}, {Target{LatencyNS: 1e5, Quantile: 99}, ErrTarget},
		{Target{LatencyNS: 10_000}, ErrTargetTooHard}, {Target{LatencyNS: 1e9}, nil},
	} {
		s, err := r.Safe(c.target)
		if !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.target, err, c.want)
		}
		if c.want == nil && !s.AtLeast {
			t.Errorf("%+v: %+v, want all loads", c.target, s)
		}
	}
	if _, err := (Result{Chosen: -1}).Safe(Target{LatencyNS: 1}); !errors.Is(err, ErrNoModel) {
		t.Error(err)
	}
}

func TestPredictBeyondTheLimit(t *testing.T) {
	points := curve(1e5, 5000, 20_000, 0.2, 0.4, 0.6, 0.7, 0.8, 0.9)
	r, err := Fit(points, Options{Models: []string{"M/M/1", "M/M/1/K"}, Resamples: 10, NoSimulation: true})
	if err != nil || r.Chosen < 0 {
		t.Fatal(err, r)
	}
	best, _ := r.Best()
	p := best.Predict(2e5)
	if best.Name != "M/M/1" || p.Stable || !math.IsInf(p.P99NS, 1) || !near(p.LossRatio, 0.5, 0.01) {
		t.Errorf("%s %+v", best.Name, p)
	}
	if ns, _ := best.NeighbourCost(5e4, 3e4, 0.99); !near(ns, math.Log(100)*(1e9/2e4-1e9/5e4), 0.02) {
		t.Errorf("a neighbour costs %g ns", ns)
	}
	if got := r.Models[1].Predict(1e3); got != (Prediction{}) || r.Models[1].Rejected != ReasonNoLoss {
		t.Errorf("%+v from a model that was not tried", got)
	}
}
