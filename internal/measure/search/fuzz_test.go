package search

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/fuzztest"
)

// On a steady device of capacity C the bounds of every goal bracket the load
// whose loss is just the goal's, within its width, whatever the settings; below
// and above the loads allowed the result says so.
func FuzzSteadyDevice(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(123456.0, 1000.0, 6e6, 0.005, 0.005, 0.5, uint8(2), uint8(2))
	f.Add(5.0, 10.0, 1000.0, 0.1, 0.01, 0.0, uint8(1), uint8(1))
	f.Add(9.99e6, 1000.0, 1e7, 0.02, 0.3, 0.25, uint8(21), uint8(3))
	f.Add(1e9, 1e3, 1.001e3, 0.5, 0.005, 0.9, uint8(3), uint8(10))
	f.Fuzz(func(t *testing.T, capacity, lowest, highest, width, loss, exceed float64, sum, coarser uint8) {
		m, ok := steadySearch(lowest, highest, width, loss, exceed, sum, coarser)
		if !ok || !(capacity >= 0 && capacity < 1e13) {
			t.Skip()
		}
		steady(t, m, capacity)
	})
}

// The same on settings that are all in range.
func TestSteadyDevices(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	spread := func(lo, hi float64) float64 { return lo * math.Pow(hi/lo, random.Float64()) }
	for range 3000 {
		lowest := spread(100, 1e6)
		highest := lowest * spread(1.001, 1e5)
		m, ok := steadySearch(lowest, highest, spread(1e-3, 0.5), spread(1e-4, 0.9), random.Float64()*0.95,
			uint8(random.UintN(30)), uint8(1+random.UintN(10)))
		if !ok {
			t.Fatalf("%+v: %v", m, m.check())
		}
		steady(t, m, spread(lowest/3, highest*3))
		if t.Failed() {
			t.Fatalf("%+v", m)
		}
	}
}

func steady(t *testing.T, m MLRsearch, capacity float64) {
	t.Helper()
	v := device{Capacity: capacity}
	m.Limits.Now = v.now
	r, err := m.Run(t.Context(), v.trial)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Reasons) > 0 {
		t.Fatalf("ended early: %+v", r.Reasons)
	}
	for _, g := range r.Goals {
		bracketed(t, g, &v, m)
	}
}

func steadySearch(lowest, highest, width, loss, exceed float64, sum, coarser uint8) (MLRsearch, bool) {
	total := time.Duration(max(1, sum%30)) * time.Second
	goal := Goal{
		Name: "fuzz", LossRatio: loss, ExceedRatio: exceed, Width: width, Coarser: int(coarser), Expansion: 2,
		InitialTrialDuration: time.Second, FinalTrialDuration: time.Second, DurationSum: total,
	}
	m := MLRsearch{Goals: []Goal{withLoss(goal, "other", 0), goal}, MinPPS: lowest, MaxPPS: highest, Verify: 0.02}
	if coarser == 0 || lowest < 10 || width < 1e-3 || exceed > 0.95 || m.check() != nil {
		return m, false // many trials, or none
	}
	return m, true
}

func bracketed(t *testing.T, g GoalResult, v *device, m MLRsearch) {
	t.Helper()
	// The loss ratio at a load comes in whole packets of 1 s trials.
	slack := 1 + 2/(m.MinPPS*(1-g.Goal.LossRatio))
	truth := v.Capacity / (1 - g.Goal.LossRatio)
	switch code := codeOf(g); {
	case code == record.ReasonNoUpperBound:
		if truth*slack < m.MaxPPS {
			t.Errorf("%s: no upper bound up to %v, truth %v", g.Goal.Name, m.MaxPPS, truth)
		}
	case code == record.ReasonNoLowerBound:
		if truth > m.MinPPS*slack {
			t.Errorf("%s: no lower bound down to %v, truth %v", g.Goal.Name, m.MinPPS, truth)
		}
	case code != "":
		t.Errorf("%s: %+v", g.Goal.Name, g.Reasons)
	default:
		if lo, hi := g.LowerBound.PPS, g.UpperBound.PPS; lo > truth*slack || hi*slack < truth || g.width() > g.Goal.Width || math.IsNaN(lo) {
			t.Errorf("%s: %v..%v, truth %v, width %v", g.Goal.Name, lo, hi, truth, g.Goal.Width)
		}
		if ct := g.ConditionalThroughput; ct > g.LowerBound.PPS || ct < g.LowerBound.PPS*(1-g.Goal.LossRatio)*0.999999 {
			t.Errorf("%s: conditional throughput %v at %v", g.Goal.Name, ct, g.LowerBound.PPS)
		}
	}
}

func codeOf(g GoalResult) record.SearchReason {
	if len(g.Reasons) == 0 {
		return ""
	}
	return g.Reasons[0].Code
}

// No device, however mad, makes a search go on for ever, panic, or give a rate at
// which it was not seen to carry what it should.
func FuzzMadDevice(f *testing.F) {
	fuzztest.Brief(f)
	f.Add(uint64(1), 1e5, 0.5, 0.3, 0.1)
	f.Add(uint64(2), 1e5, 1.9, 0.9, 1.0)
	f.Fuzz(func(t *testing.T, seed uint64, capacity, noise, spikes, spike float64) {
		if !(capacity >= 0 && capacity < 1e9 && noise >= 0 && noise <= 2 && spike >= 0 && spike <= 1) {
			t.Skip()
		}
		v := device{Seed: seed, Capacity: capacity, Noise: noise, Spikes: spikes, Spike: spike}
		m := preset(t, CSIT, &v)
		r, err := m.Run(t.Context(), v.trial)
		if err != nil {
			t.Fatal(err)
		}
		for _, g := range r.Goals {
			if g.Valid() && g.LowerBound.LowLoss < g.LowerBound.HighLoss {
				t.Errorf("%s: %+v", g.Goal.Name, g.LowerBound)
			}
		}
	})
}
