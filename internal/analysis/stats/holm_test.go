package stats

import (
	"math"
	"slices"
	"testing"
)

// Expected values are those of R's p.adjust(p, "holm"), by hand.
func TestHolm(t *testing.T) {
	for _, c := range []struct {
		story   string
		p, want []float64
	}{
		{"no test", nil, nil},
		{"one test is left as it is", []float64{0.04}, []float64{0.04}},
		{"the least is multiplied most", []float64{0.01, 0.02, 0.03}, []float64{0.03, 0.04, 0.04}},
		{"the order is kept", []float64{0.5, 0.001, 0.02}, []float64{0.5, 0.003, 0.04}},
		{"never above 1", []float64{0.9, 0.8}, []float64{1, 1}},
		{"equal ones stay equal", []float64{0.02, 0.02}, []float64{0.04, 0.04}},
	} {
		got := Holm(c.p)
		if !slices.EqualFunc(got, c.want, func(a, b float64) bool { return math.Abs(a-b) < 1e-12 }) {
			t.Errorf("%s: Holm(%v) = %v, want %v", c.story, c.p, got, c.want)
		}
	}
}
