package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// Ranks by exact rational arithmetic; those of the median are in tables of the sign
// test, too.
func TestQuantileRanks(t *testing.T) {
	for _, c := range []struct {
		n         uint64
		q         float64
		low, high uint64
	}{
		{0, 0.5, 0, 0},
		{1, 0.5, 0, 0},
		{5, 0.5, 0, 0}, // five values hold the median with 93.75 % only
		{6, 0.5, 1, 6},
		{10, 0.5, 2, 9},
		{20, 0.5, 6, 15},
		{100, 0.5, 40, 61},
		{100, 0.99, 97, 0},
		{1000, 0.99, 983, 997},
		{1000, 0.999, 997, 0},
		{5000, 0.999, 4990, 5000},
		{20_000, 0.9999, 19995, 0},
	} {
		low, high := QuantileRanks(c.n, c.q, 0.95)
		if low != c.low || high != c.high {
			t.Errorf("quantile %g of %d values: ranks %d to %d, want %d to %d", c.q, c.n, low, high, c.low, c.high)
		}
	}
}

// Of very many values the interval is that of the normal distribution.
func TestQuantileRanksOfMany(t *testing.T) {
	const z = 1.959964
	for _, n := range []uint64{1e6, 1e8, 1e9} {
		for _, q := range []float64{0.5, 0.99, 0.999} {
			low, high := QuantileRanks(n, q, 0.95)
			half := z * math.Sqrt(float64(n)*q*(1-q))
			for got, want := range map[uint64]float64{low: float64(n)*q - half, high: float64(n)*q + half} {
				if math.Abs(float64(got)-want) > 3 {
					t.Errorf("quantile %g of %d values: rank %d, the normal distribution has %.1f", q, n, got, want)
				}
			}
		}
	}
}

// The interval holds the true quantile as often as it says, and not much more.
func TestQuantileRanksCover(t *testing.T) {
	const n, rounds = 2000, 2000
	r := rand.New(rand.NewPCG(5, 5))
	for _, q := range []float64{0.5, 0.9, 0.99} {
		truth, held := -math.Log(1-q), 0.0
		low, high := QuantileRanks(n, q, 0.95)
		values := make([]float64, n)
		for range rounds {
			for i := range values {
				values[i] = r.ExpFloat64()
			}
			slices.Sort(values)
			if values[low-1] <= truth && truth <= values[high-1] {
				held++
			}
		}
		if share := held / rounds; share < 0.94 || share > 0.985 {
			t.Errorf("quantile %g is held by %.3f of the intervals, want 0.95", q, share)
		}
	}
}
