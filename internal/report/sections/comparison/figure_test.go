package comparison

import (
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
)

func TestSigned(t *testing.T) {
	for _, c := range []struct {
		ratio float64
		want  string
	}{
		{0, "0"}, {0.00001, "0"}, {-0.00001, "0"}, {0.0123, "+1.23"}, {-0.0996, "-10.0"}, {0.123, "+12.3"},
		{-0.996, "-100"}, {1.5, "+150"}, {9.99, "+999"}, {10, "×11"}, {149.4, "×150"}, {-1, "-100"},
	} {
		if got := signed(c.ratio); got != c.want {
			t.Errorf("signed(%v) = %q, want %q", c.ratio, got, c.want)
		}
	}
}

// TestSidesHaveOneUnit: what is compared in a row has one prefix.
func TestSidesHaveOneUnit(t *testing.T) {
	for _, c := range []struct {
		a, b float64
		want string
	}{
		{940e3, 1.27e6, "0.940 Mpps, 1.27 Mpps"},
		{63.6e3, 1.27e6, "63.6 kpps, 1270.0 kpps"},
		{200e3, 150e3, "200.0 kpps, 150.0 kpps"},
	} {
		f := compare.Figure{Metric: compare.RxPPS, A: compare.Sample{N: 1, Median: c.a}, B: compare.Sample{N: 1, Median: c.b}}
		if a, b := samples(f); a+", "+b != c.want {
			t.Errorf("%s, %s, want %s", a, b, c.want)
		}
	}
}

// TestChangeLiesBetweenTheSides: of paired repeats the median change need not have the sign of the medians' difference.
func TestChangeLiesBetweenTheSides(t *testing.T) {
	known := compare.Change{Known: true, Value: -0.03}
	for _, c := range []struct {
		figure compare.Figure
		want   string
	}{
		{compare.Figure{Metric: compare.P50, Basis: compare.BasisPaired, Paired: known,
			A: compare.Sample{N: 5, Median: 18000}, B: compare.Sample{N: 5, Median: 18300}}, "18.0 µs, 17.5 µs"},
		{compare.Figure{Metric: compare.RxPPS, Basis: compare.BasisWire, ByWire: known,
			A: compare.Sample{N: 5, Median: 200e3}, B: compare.Sample{N: 5, Median: 210e3}}, "200.0 kpps, 194.0 kpps"},
		{compare.Figure{Metric: compare.FrameLoss, Basis: compare.BasisPaired, Paired: known,
			A: compare.Sample{N: 5, Median: 0.05}, B: compare.Sample{N: 5, Median: 0.06}}, "5.00 %, 2.00 %"},
		{compare.Figure{Metric: compare.P50, Basis: compare.BasisRaw, Raw: known,
			A: compare.Sample{N: 5, Median: 18000}, B: compare.Sample{N: 5, Median: 17460}}, "18.0 µs, 17.5 µs"},
		// as measured, of an even number: the median of logarithms is not the logarithm of the median
		{compare.Figure{Metric: compare.P50, Basis: compare.BasisRaw, Raw: known,
			A: compare.Sample{N: 4, Median: 18000}, B: compare.Sample{N: 4, Median: 18300}}, "18.0 µs, 17.5 µs"},
		// a loss is not below 0: B's median is kept
		{compare.Figure{Metric: compare.FrameLoss, Basis: compare.BasisPaired, Paired: known,
			A: compare.Sample{N: 5, Median: 0.01}, B: compare.Sample{N: 5, Median: 0.005}}, "3.50 %, 0.50 %"},
	} {
		if a, b := samples(c.figure); a+", "+b != c.want {
			t.Errorf("%s, %s, want %s", a, b, c.want)
		}
	}
}
