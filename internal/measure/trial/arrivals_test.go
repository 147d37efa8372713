package trial

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// Each direction, load and repeat has gaps of its own; the same trial has the same again,
// and its seed is in the result.
func TestSeeds(t *testing.T) {
	s := &scenario.Scenario{Schedule: scenario.Schedule{Seed: 1, Arrivals: scenario.Poisson}}
	seen := map[uint64]Spec{}
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		for _, pps := range []float64{100e3, 101e3, 1e6} {
			for repeat := range 5 {
				spec := Spec{Direction: d, Load: record.Load{PPS: pps}, Repeat: repeat + 1}
				seed := seedOf(spec, s)
				if other, is := seen[seed]; is {
					t.Errorf("%+v and %+v have seed %d", spec, other, seed)
				}
				seen[seed] = spec
				if a := arrivalsRecord(spec, s); a.Seed != seed || seedOf(spec, s) != seed {
					t.Errorf("%+v: the record has seed %d, not %d", spec, a.Seed, seed)
				}
			}
		}
	}
	if seedOf(Spec{}, s) == seedOf(Spec{}, &scenario.Scenario{Schedule: scenario.Schedule{Seed: 2}}) {
		t.Error("the scenario's seed has no effect")
	}
}

// lindley is a server of exponential times behind a schedule: the share of packets that
// are longer in the system than a limit, in service times, at a load 0..1. It knows
// nothing of package traffic but gaps.
func lindley(gap func(n int) uint32, load, limit float64, n int, r *rand.Rand) float64 {
	var wait float64
	over := 0
	for i := range n {
		took := wait + r.ExpFloat64()
		if took > limit {
			over++
		}
		wait = max(0, took-float64(gap(i))/traffic.ArrivalUnit/load)
	}
	return float64(over) / float64(n)
}

// At 90 % load the table that all repeats once had in common was off by more than they
// differed by, in each of them alike. Now their spread shows it: the share over the true p99
// lies within the interval of seven repeats as often as it says.
func TestRepeatsShowWhatGapsCost(t *testing.T) {
	const load, repeats, packets, runs = 0.9, 7, 600_000, 20
	p99 := math.Log(100) / (1 - load) // M/M/1: p99 of the time in the system
	r := rand.New(rand.NewPCG(1, 2))
	over := func(seed uint64, fresh bool) float64 {
		a := traffic.Poisson(seed)
		return lindley(func(n int) uint32 {
			if !fresh {
				return a[n%len(a)]
			}
			return a[traffic.Place(uint64(n/len(a)), n%len(a))]
		}, load, p99, packets, r)
	}
	covered := func(fresh bool) (share float64) {
		for run := range runs {
			var all []float64
			for repeat := range repeats {
				spec := Spec{Direction: record.Uplink, Load: record.Load{PPS: 1e5}, Repeat: repeat}
				seed := seedOf(spec, &scenario.Scenario{Schedule: scenario.Schedule{Seed: run + 1}})
				if !fresh {
					seed = uint64(run + 1)
				}
				all = append(all, over(seed, fresh))
			}
			mean, deviation := moments(all)
			if math.Abs(mean-0.01) <= 2.447*deviation/math.Sqrt(repeats) { // Student's t, 6 degrees
				share += 1.0 / runs
			}
		}
		return share
	}
	before, now := covered(false), covered(true)
	t.Logf("the truth was covered by %.0f %% with one table, by %.0f %% with a seed each", 100*before, 100*now)
	if now < 0.85 || before > 0.8 {
		t.Errorf("covered by %.2f with a seed each, want 0.95; with one table by %.2f", now, before)
	}
}

func moments(all []float64) (mean, deviation float64) {
	for _, v := range all {
		mean += v / float64(len(all))
	}
	for _, v := range all {
		deviation += (v - mean) * (v - mean) / float64(len(all)-1)
	}
	return mean, math.Sqrt(deviation)
}
