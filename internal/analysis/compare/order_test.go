package compare

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// drifting is a run of wire and two builds on a machine that becomes slower by 1 % with each
// visit; the second build takes a share of the rate more.
func drifting(rng *rand.Rand, repeats int, slower float64, blocks [][]int) Input {
	s := simulated{repeats: repeats, noise: 0.005}
	r := s.run(rng, "drifting")
	r.DUTs = append(r.DUTs, r.DUTs[1])
	r.DUTs[1].Name, r.DUTs[2].Name, r.Order = "builtin@old", "builtin@new", &record.Order{}
	for i := range r.DUTs {
		r.DUTs[i].Trials = nil
	}
	rates, delays, visit := [3]float64{6e6, 3e6, 3e6 * (1 - slower)}, [3]float64{15e3, 20e3, 20e3}, 0
	for n, block := range blocks {
		for _, i := range block {
			speed, d := math.Exp(-0.01*float64(visit)), &r.DUTs[i]
			r.Order.Visit(n+1, d.Label())
			d.Trials = append(d.Trials, s.trials(rng, n+1, rates[i]*speed, delays[i]/speed, 0, "dut")...)
			visit++
		}
	}
	return Input{"drifting", r}
}

// TestSameBuildsOnADriftingMachine: with 1 % of drift a visit at most 5 % of comparisons of a
// build with itself find any difference in any figure, and one of 10 % in the rate is found.
func TestSameBuildsOnADriftingMachine(t *testing.T) {
	const times = 60
	rng := rand.New(rand.NewPCG(21, 1))
	for _, repeats := range []int{3, 5, 7} {
		differ, found := 0, 0
		for n := range times {
			blocks := stats.Blocks(3, repeats, uint64(n), func(i int) bool { return i == 0 })
			same, slower := drifting(rng, repeats, 0, blocks), drifting(rng, repeats, 0.1, blocks)
			differ += one(len(verdicts(compared(t, same, same, Options{}))) > 0)
			f := figure(t, compared(t, slower, slower, Options{Metrics: []Metric{RxPPS}}), RxPPS, "uplink max")
			found += one(f.Verdict == Worse)
		}
		t.Logf("%d repeats: %d of %d differ; a rate 10 %% lower is found in %d", repeats, differ, times, found)
		if differ > times/20 {
			t.Errorf("%d repeats: %d of %d differ", repeats, differ, times)
		}
		if least := times * 9 / 10; repeats >= 5 && found < least {
			t.Errorf("%d repeats: a rate 10 %% lower is found in %d of %d", repeats, found, times)
		}
	}
}

// TestAlwaysFirst: where one of the two was first in all repeats, or in nearly all that are
// valid, nothing is said, whether the order was kept or follows from the times.
func TestAlwaysFirst(t *testing.T) {
	inTurn := slices.Repeat([][]int{{0, 1, 2}}, 7)
	in := drifting(rand.New(rand.NewPCG(22, 1)), 7, 0.1, inTurn)
	check := func(story string) {
		f := figure(t, compared(t, in, in, Options{Metrics: []Metric{RxPPS}}), RxPPS, "uplink max")
		if f.Verdict != CannotTell || !strings.Contains(f.Why, "A was measured first in") || f.Change().Interval != nil {
			t.Errorf("%s: %s, %q", story, f.Verdict, f.Why)
		}
	}
	check("A B in all")
	in.Result.Order = nil
	for i := range in.Result.DUTs {
		for j := range in.Result.DUTs[i].Trials {
			trial := &in.Result.DUTs[i].Trials[j]
			trial.Started = simulatedStart.Add(time.Duration(trial.Repeat*3+i) * time.Minute)
		}
	}
	check("by the times")
	for _, c := range []struct {
		ab, ba int
		told   bool
	}{{3, 0, false}, {2, 1, true}, {4, 1, false}, {3, 2, true}, {6, 1, false}, {5, 2, true}} {
		if got := stats.Counterbalanced(c.ab, c.ba); got != c.told {
			t.Errorf("%d and %d: %v", c.ab, c.ba, got)
		}
	}
}
