package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestMedianCIOfRanks holds the interval against published ranks: of ten values the second
// and the ninth cover 97.85 %, the third and the eighth 89.06 %, and Hettmansperger and
// Sheather's 95 % lies between them.
func TestMedianCIOfRanks(t *testing.T) {
	ten := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	const share = (0.978516 - 0.95) / (0.978516 - 0.890625)
	inward := 8 * share / (2 + 6*share)
	if lo, hi := MedianCI(ten, 0.95); math.Abs(lo-(2+inward)) > 1e-4 || math.Abs(hi-(9-inward)) > 1e-4 {
		t.Errorf("%v..%v, want %v..%v", lo, hi, 2+inward, 9-inward)
	}
	for _, c := range []struct {
		sample []float64
		lo, hi float64
	}{{[]float64{4}, 4, 4}, {[]float64{3, 1, 2}, 1, 3}, {[]float64{5, 1, 2, 4, 3}, 1, 5}, {nil, math.NaN(), math.NaN()}} {
		if lo, hi := MedianCI(c.sample, 0.95); !same(lo, c.lo) || !same(hi, c.hi) {
			t.Errorf("%v: %v..%v, want %v..%v", c.sample, lo, hi, c.lo, c.hi)
		}
	}
}

// distributions have their true median and mean.
var distributions = []struct {
	name         string
	median, mean float64
	draw         func(*rand.Rand) float64
}{
	{"normal", 0, 0, (*rand.Rand).NormFloat64},
	{"log-normal", 1, math.Exp(0.125), func(r *rand.Rand) float64 { return math.Exp(r.NormFloat64() / 2) }},
	{"one in ten scatters ten times as much", 0, 0, func(r *rand.Rand) float64 {
		if r.IntN(10) == 0 {
			return 10 * r.NormFloat64()
		}
		return r.NormFloat64()
	}},
}

// TestMedianCICovers: 93 to 97.5 % from six values on, of any distribution.
func TestMedianCICovers(t *testing.T) {
	const times = 4000
	rng := rand.New(rand.NewPCG(8, 1))
	for _, d := range distributions {
		for _, n := range []int{6, 7, 8, 10, 15, 30} {
			held := 0
			for range times {
				if lo, hi := MedianCI(draws(n, func() float64 { return d.draw(rng) }), 0.95); lo <= d.median && d.median <= hi {
					held++
				}
			}
			percent := 100 * float64(held) / times
			t.Logf("%s, %d values: %.1f %%", d.name, n, percent)
			if percent < 93 || percent > 98 {
				t.Errorf("%s, %d values: the interval holds the median in %.1f %% of the samples", d.name, n, percent)
			}
		}
	}
}

// TestDifferenceCovers: 95 % intervals of a difference hold the true one in 93.5 % at least, of
// values that came in pairs and of others.
func TestDifferenceCovers(t *testing.T) {
	const times, truth = 4000, 0.3
	rng := rand.New(rand.NewPCG(9, 1))
	for _, d := range distributions {
		for _, n := range []int{3, 5, 7, 10} {
			paired, unpaired := 0, 0
			for range times {
				a, b := draws(n, func() float64 { return d.draw(rng) }), draws(n, func() float64 { return truth + d.draw(rng) })
				apart := make([]float64, n)
				for i := range apart {
					apart[i] = b[i] - a[i]
				}
				x, _ := Paired(apart, Doubt{})
				y, _ := Unpaired(a, b, Doubt{})
				if x.Lo <= truth && truth <= x.Hi {
					paired++
				}
				if y.Lo <= truth && truth <= y.Hi {
					unpaired++
				}
			}
			t.Logf("%s, %d values: in pairs %.1f %%, others %.1f %%", d.name, n, 100*float64(paired)/times, 100*float64(unpaired)/times)
			if least := times * 935 / 1000; paired < least || unpaired < least {
				t.Errorf("%s, %d values: in pairs %d, others %d of %d", d.name, n, paired, unpaired, times)
			}
		}
	}
}
