package stats

import (
	"math"
	"testing"
)

// The expected interval is by hand from a table of t.
func TestMeanCI(t *testing.T) {
	m, lo, hi := MeanCI([]float64{2.57, 2.61, 2.49, 2.63, 2.55}, 0.95)
	// mean 2.57, s 0.05477, t(0.975, 4) 2.776: 2.57 -+ 0.0680
	if math.Abs(m-2.57) > 1e-9 || math.Abs(lo-2.502) > 1e-3 || math.Abs(hi-2.638) > 1e-3 {
		t.Errorf("%v, %v..%v", m, lo, hi)
	}
	if m, lo, hi := MeanCI([]float64{1, 3}, 0.95); m != 2 || lo != 1 || hi != 3 {
		t.Errorf("of two: %v, %v..%v, want the range", m, lo, hi)
	}
}
