package precision

import (
	"math"
	"testing"
)

// glucose is material A of the example of ASTM E691-99, table 1: eight laboratories, three results each.
func glucose() []Cell {
	return []Cell{{"1", []float64{41.03, 41.45, 41.37}}, {"2", []float64{41.17, 42.00, 41.15}}, {"3", []float64{41.01, 40.68, 42.66}},
		{"4", []float64{39.37, 42.37, 42.63}}, {"5", []float64{41.88, 41.19, 41.32}}, {"6", []float64{43.28, 40.50, 42.28}},
		{"7", []float64{41.08, 41.27, 39.02}}, {"8", []float64{43.36, 42.65, 41.72}}}
}

// TestGlucose: ASTM E691's own figures for it: mean 41.5183, s_r 1.0632, and no variance between laboratories; h and
// k as in its tables.
func TestGlucose(t *testing.T) {
	p, err := Of(glucose())
	if err != nil {
		t.Fatal(err)
	}
	near := func(what string, got, want, by float64) {
		t.Helper()
		if math.Abs(got-want) > by {
			t.Errorf("%s is %g, want %g", what, got, want)
		}
	}
	near("mean", p.Mean, 41.5183, 1e-4)
	near("s_r", p.SR, 1.0632, 1e-4)
	near("s_L", p.SL, 0, 1e-9)
	near("s_R", p.SBigR, 1.0632, 1e-4)
	near("r", p.Repeatability, 2.977, 1e-3)
	for i, want := range []struct{ h, k float64 }{{-.39, .21}, {-.13, .46}, {-.11, 1}, {-.10, 1.70}, {-.09, .34}, {.83, 1.32}, {-1.75, 1.17}, {1.75, .77}} {
		near("h of "+p.Cells[i].Lab, p.Cells[i].H, want.h, 6e-3)
		near("k of "+p.Cells[i].Lab, p.Cells[i].K, want.k, 6e-3)
	}
	if len(p.Findings) > 0 {
		t.Errorf("%+v", p.Findings)
	}
}

// TestUneven: two laboratories with 2 and 3 results, by hand. Means 10 and 16, general mean 13.6; variances 2 and 1;
// s_r^2 = (2 + 2)/3; between them 2 (3.6)^2 + 3 (2.4)^2 = 43.2; results a laboratory 5 - 13/5 = 2.4;
// s_L^2 = (43.2 - 4/3)/2.4 = 17.4444.
func TestUneven(t *testing.T) {
	p, err := Of([]Cell{{"a", []float64{9, 11}}, {"b", []float64{15, 16, 17}}})
	if err != nil || math.Abs(p.Mean-13.6) > 1e-9 || math.Abs(p.SR*p.SR-4.0/3) > 1e-9 || math.Abs(p.SL*p.SL-17.44444) > 1e-4 ||
		math.Abs(p.SBigR*p.SBigR-18.77778) > 1e-4 {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestLimits: those of ISO 5725-2's tables 4 and 5 for eight laboratories, Cochran's for three results each.
func TestLimits(t *testing.T) {
	for _, c := range []struct{ got, want float64 }{
		{cochranLimit(0.05, 8, 3), 0.516}, {cochranLimit(0.01, 8, 3), 0.615}, {grubbsLimit(0.05, 8), 2.126}, {grubbsLimit(0.01, 8), 2.274},
	} {
		if math.Abs(c.got-c.want) > 1e-3 {
			t.Errorf("%.4f, want %.3f", c.got, c.want)
		}
	}
	// ISO 5725-1, equations 9 and 10 by hand for 10 laboratories, 2 results each and s_R/s_r = 2:
	// 1.96 sqrt(1/20), and 1.96 sqrt((10 * 49 + 9)/11520).
	if r, bigR := within(10, 2, 1, 2); math.Abs(r-0.4383) > 1e-4 || math.Abs(bigR-0.4079) > 1e-4 {
		t.Errorf("A_r %.3f, A_R %.3f", r, bigR)
	}
}

// TestOutliers: a laboratory with another mean, and one that scatters more, are found.
func TestOutliers(t *testing.T) {
	cells := glucose()
	for i := range cells[3].Values {
		cells[3].Values[i] += 12
	}
	cells[6].Values = []float64{35, 41, 47}
	p, err := Of(cells)
	if err != nil || len(p.Findings) != 2 || p.Findings[0].Test != "Cochran" || p.Findings[0].Lab != "7" || p.Findings[0].Level != 0.01 ||
		p.Findings[1].Test != "Grubbs" || p.Findings[1].Lab != "4" || p.Findings[1].Level != 0.01 {
		t.Errorf("%+v, %v", p.Findings, err)
	}
}

// TestTooFew: what has no precision is refused, and equal results are no fault.
func TestTooFew(t *testing.T) {
	for _, cells := range [][]Cell{nil, {{"a", []float64{1, 2}}}, {{"a", []float64{1, 2}}, {"b", []float64{1}}},
		{{"a", []float64{1, 2}}, {"b", []float64{1, math.NaN()}}}, {{"a", []float64{1, 2}}, {"b", []float64{1, math.Inf(1)}}}} {
		if p, err := Of(cells); err == nil {
			t.Errorf("%v: %+v", cells, p)
		}
	}
	if p, err := Of([]Cell{{"a", []float64{5, 5}}, {"b", []float64{5, 5}}, {"c", []float64{5, 5}}}); err != nil || p.SBigR != 0 || p.SBigRWithin != 0 || len(p.Findings) > 0 {
		t.Errorf("%+v, %v", p, err)
	}
	if p, err := Of([]Cell{{"a", []float64{5, 5}}, {"b", []float64{7, 7}}}); err != nil || p.SR != 0 || math.Abs(p.SBigRWithin-1.386) > 1e-3 {
		t.Errorf("%+v, %v", p, err)
	}
}
