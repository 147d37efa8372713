package traffic

import (
	"math"
	"slices"
	"testing"
	"time"
)

// Every process keeps the rate: its gaps add up to as many units as it has steps.
func TestArrivalsKeepTheRate(t *testing.T) {
	for name, a := range map[string]Arrivals{
		"Poisson 1": Poisson(1), "Poisson 2": Poisson(2), "bursts of 1": Bursts(1), "bursts of 32": Bursts(32), "bursts of 4096": Bursts(4096),
	} {
		var sum uint64
		for _, gap := range a {
			sum += uint64(gap)
		}
		if len(a) != ArrivalSteps || sum != ArrivalSteps*ArrivalUnit {
			t.Errorf("%s: %d gaps, %d units, want %d and %d", name, len(a), sum, ArrivalSteps, ArrivalSteps*ArrivalUnit)
		}
	}
}

// Exponential gaps: the deviation is the mean, and a share 1-1/e is shorter.
func TestPoissonIsExponential(t *testing.T) {
	a := Poisson(7)
	var squares, shorter float64
	for _, gap := range a {
		x := float64(gap)/ArrivalUnit - 1
		squares += x * x
		if x < 0 {
			shorter++
		}
	}
	if deviation := math.Sqrt(squares / ArrivalSteps); math.Abs(deviation-1) > 0.03 {
		t.Errorf("the deviation is %.3f of the mean, want 1", deviation)
	}
	if share := shorter / ArrivalSteps; math.Abs(share-(1-1/math.E)) > 0.01 {
		t.Errorf("%.3f of the gaps are shorter than the mean, want %.3f", share, 1-1/math.E)
	}
	if !slices.Equal(a, Poisson(7)) || slices.Equal(a, Poisson(8)) {
		t.Error("a seed does not tell the gaps")
	}
}

func TestSpan(t *testing.T) {
	for _, c := range []struct {
		why  string
		a    Arrivals
		n    uint64
		want time.Duration
	}{
		{"constant", nil, 5, 5 * time.Millisecond},
		{"the first", Bursts(4), 0, 0},
		{"the last of a burst", Bursts(4), 3, 0},
		{"the first of the next", Bursts(4), 4, 4 * time.Millisecond},
		{"within the next", Bursts(4), 6, 4 * time.Millisecond},
		{"when the table has come round", Bursts(4), ArrivalSteps + 4, (ArrivalSteps + 4) * time.Millisecond},
		{"a round of Poisson", Poisson(1), ArrivalSteps, ArrivalSteps * time.Millisecond},
	} {
		if got := (Schedule{PPS: 1000, Arrivals: c.a}).Span(c.n); got != c.want {
			t.Errorf("%s: slot %d is at %v, want %v", c.why, c.n, got, c.want)
		}
	}
}
