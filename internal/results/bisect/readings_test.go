package bisect

import (
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
)

// By how much a delay differs that is at least what was measured, on either side, is not known,
// so that nothing is decided by it.
func TestReadingsOfLowerBounds(t *testing.T) {
	change := compare.Change{Known: true, Value: 0.2, N: 5, Interval: &compare.Interval{Lo: 0.19, Hi: 0.21}}
	for _, c := range []struct {
		inGood, inOther bool
		want            Verdict
	}{{false, false, Slower}, {true, false, CannotTell}, {false, true, CannotTell}} {
		f := compare.Figure{Metric: compare.P99, Basis: compare.BasisRaw, Raw: change, Verdict: compare.Worse,
			A: compare.Sample{N: 5, AtLeast: c.inGood}, B: compare.Sample{N: 5, AtLeast: c.inOther}}
		if got := Decide(reading(&f), 0.05); got != c.want {
			t.Errorf("%+v: %v", c, got)
		}
	}
}

// TestReadingsDifferByTheChange: the figures of a step differ by what it says that the build is slower, also where the
// medians rise and most pairs fall.
func TestReadingsDifferByTheChange(t *testing.T) {
	f := compare.Figure{Metric: compare.RxPPS, Basis: compare.BasisPaired, Paired: compare.Change{Known: true, Value: -0.03},
		A: compare.Sample{N: 5, Median: 200e3}, B: compare.Sample{N: 5, Median: 210e3}}
	r := reading(&f)
	if r.Good != 200e3 || r.Other != 194e3 || r.Worse != 0.03 {
		t.Errorf("%v, then %v, slower by %v", r.Good, r.Other, r.Worse)
	}
}
