package compare

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// roundUp makes the latencies those of a generator with buckets of 10 us below 100 us, and
// of 100 us below 1 ms, that counts a packet at its bucket's upper end, as TRex does. told
// is whether the result says so.
func roundUp(in Input, told bool) {
	round := func(v *uint64, step *uint64) {
		width := 10e3
		for float64(*v) > 10*width {
			width *= 10
		}
		*v = uint64(math.Ceil(float64(*v)/width) * width)
		if told {
			*step = uint64(width)
		}
	}
	for i := range in.Result.DUTs {
		for j := range in.Result.DUTs[i].Trials {
			if l := in.Result.DUTs[i].Trials[j].Latency; l != nil {
				round(&l.P50, &l.P50Step)
				round(&l.P99, &l.P99Step)
			}
		}
	}
}

// Identical builds on both sides of a bucket's end, 29.8 and 30.2 us, are not different
// because the generator makes 30 and 40 us of that; three times the delay is.
func TestCoarseLatencyTellsNothingWithinItsStep(t *testing.T) {
	const pairs = 60
	differs := func(told bool, delayA, delayB float64) (n int) {
		for seed := range uint64(pairs) {
			a := measured(simulated{repeats: 7, noise: 0.002, delay: delayA}, 2*seed+1, "A")
			b := measured(simulated{repeats: 7, noise: 0.002, delay: delayB}, 2*seed+2, "B")
			roundUp(a, told)
			roundUp(b, told)
			c := compared(t, a, b, Options{Raw: true})
			different := false
			for _, f := range c.Pairs[0].Figures {
				if (f.Metric == P50 || f.Metric == P99) && f.Kind == record.KindLatency {
					different = different || f.Verdict == Better || f.Verdict == Worse
				}
			}
			if different {
				n++
			}
		}
		return n
	}
	unaware, aware, real := differs(false, 1.49, 1.51), differs(true, 1.49, 1.51), differs(true, 1.49, 4.5)
	t.Logf("of %d comparisons of builds that are 1 %% apart %d differ, %d without knowing the step; of builds "+
		"that are three times apart %d", pairs, aware, unaware, real)
	if aware > pairs/20 {
		t.Errorf("%d of %d comparisons differ by the generator's resolution", aware, pairs)
	}
	if unaware < pairs/2 {
		t.Errorf("the simulation shows nothing: only %d of %d differ without knowing of the step", unaware, pairs)
	}
	if real < pairs*9/10 {
		t.Errorf("three times the delay is found in %d of %d comparisons", real, pairs)
	}
}
