package stats

import (
	"math"
	"testing"
)

// Expected values are those of SciPy 1.x, stats.t.sf, stats.t.isf and
// stats.norm.sf.
func TestStudentTail(t *testing.T) {
	for _, c := range []struct{ t, df, want float64 }{
		{0, 3, 0.5},
		{1, 1, 0.25},
		{2.5, 2, 0.0648058601108},
		{2.5, 4.7, 0.0287960796734},
		{5, 8, 0.000526412896683},
		{-1.3, 6, 0.879347412689},
		{12, 3, 0.000622507900395},
		{1.96, 300.5, 0.0254598552712},
		{40, 4, 1.1670081613e-06},
		{1.96, math.Inf(1), 0.024997895148220435},
		{math.Inf(1), 4, 0},
		{math.Inf(-1), 4, 1},
	} {
		if got := studentTail(c.t, c.df); math.Abs(got-c.want) > 1e-9*max(c.want, 1e-3) {
			t.Errorf("studentTail(%v, %v) = %.12g, want %.12g", c.t, c.df, got, c.want)
		}
	}
}

func TestStudentQuantile(t *testing.T) {
	for _, c := range []struct{ tail, df, want float64 }{
		{0.025, 2, 4.30265272975},
		{0.025, 4.7, 2.62072607535},
		{0.025, 8, 2.3060041352},
		{0.001, 8, 4.50079093372},
		{0.5, 3, 0},
		{0.025, math.Inf(1), 1.959963984540},
	} {
		if got := studentQuantile(c.tail, c.df); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("studentQuantile(%v, %v) = %.12g, want %.12g", c.tail, c.df, got, c.want)
		}
	}
}
