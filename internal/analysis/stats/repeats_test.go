package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestRepeatsFor(t *testing.T) {
	for _, c := range []struct {
		name          string
		n             int
		reach, wanted float64
		want          int
	}{
		{"three values, a third of the reach: 2.484 s against t/sqrt(n) of 8", 3, 2.484, 0.84, 8},
		{"many values: by the square", 101, 0.1, 0.05, 397},
		{"it is narrow enough already", 5, 1, 2, 4},
		{"nothing is wanted", 5, 1, 0, 0},
		{"the wrong side", 5, 1, -1, 0},
		{"beyond reason", 5, 1, 0.001, 0},
		{"an interval without end", 5, math.Inf(1), 1, 0},
		{"one value", 1, 1, 0.5, 0},
	} {
		if got := RepeatsFor(c.n, c.reach, c.wanted, 1000); got != c.want {
			t.Errorf("%s: %d, not %d", c.name, got, c.want)
		}
	}
}

// TestRepeatsForComesTrue: with as many repeats as were said, about half of the intervals
// are as narrow as was wanted, since half of the scatters are below the median.
func TestRepeatsForComesTrue(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 7))
	values := func(n int) (list []float64) {
		for range n {
			list = append(list, rng.NormFloat64())
		}
		return list
	}
	reach := studentQuantile(0.025, 2) / math.Sqrt(3) // of three values whose scatter is 1
	n, narrow := RepeatsFor(3, reach, 0.7, 1000), 0
	for range 1000 {
		_, lo, hi := MeanCI(values(n), Confidence)
		if (hi-lo)/2 <= 0.7 {
			narrow++
		}
	}
	if narrow < 450 || narrow > 750 {
		t.Errorf("with %d repeats %d of 1000 intervals are narrow enough", n, narrow)
	}
}
