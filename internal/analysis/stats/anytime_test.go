package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestCoinBet: the logarithm of the integral of (2p)^k (2(1-p))^(n-k) over p, by SciPy's adaptive quadrature.
func TestCoinBet(t *testing.T) {
	for _, c := range []struct {
		n, k int
		want float64
	}{{8, 0, 3.347952867143343}, {8, 1, 1.2685113254635072}, {10, 2, 0.7269140430307628}, {20, 3, 3.7796376320869425},
		{20, 4, 2.3327186491506167}, {40, 11, 2.451022253978004}} {
		if got := coinBet(c.n, c.k); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%d of %d: %v, want %v", c.k, c.n, got, c.want)
		}
	}
}

// TestSymmetricBet: the mean over four shifts k of the products of 2 f(x-k) / (f(x-k) + f(x+k)), f the density of the
// normal distribution and x a value by the median size so far, 1.5 at most, by SciPy.
func TestSymmetricBet(t *testing.T) {
	values := []float64{0.031, 0.052, -0.004, 0.047, 0.16, 0.02}
	for _, c := range []struct {
		centre float64
		want   []float64
	}{
		{0, []float64{1.6911869597119744, 3.0239772121905792, 2.4640407029158395, 4.391763943339373, 8.161247728706257, 12.911392882447469}},
		{0.03, []float64{1.6911869597119744, 3.0931815867216312, 0.459704834082217, 0.6479552219480668, 1.0541219931149945, 0.7523032731376801}},
	} {
		for i, got := range symmetricBet(values, c.centre) {
			if math.Abs(got-c.want[i]) > 1e-9*c.want[i] {
				t.Errorf("centre %v, value %d: %v, want %v", c.centre, i+1, got, c.want[i])
			}
		}
	}
}

// TestBetsAreFair: a bet on symmetric values is worth its stake on average, over all signs of given sizes.
func TestBetsAreFair(t *testing.T) {
	sizes := []float64{1, 0.2, 3, 3, 0, 11, 0.7, 2, 1, 5}
	sum := 0.0
	for signs := range 1 << len(sizes) {
		values := make([]float64, len(sizes))
		for i, v := range sizes {
			values[i] = v * float64(1-2*(signs>>i&1))
		}
		e := symmetricBet(values, 0)
		sum += e[len(e)-1]
	}
	if mean := sum / float64(int(1)<<len(sizes)); math.Abs(mean-1) > 1e-9 {
		t.Errorf("mean of the e-values: %v", mean)
	}
}

// sources are what repeats may come from, with a median of 0; none is what an interval for normal values assumes.
var sources = []struct {
	name string
	next func(rng *rand.Rand, last float64) (value, state float64)
}{
	{"normal", func(rng *rand.Rand, _ float64) (float64, float64) { return rng.NormFloat64(), 0 }},
	{"Student's t with 2 degrees of freedom", func(rng *rand.Rand, _ float64) (float64, float64) {
		v := rng.NormFloat64() / math.Sqrt(rng.ExpFloat64())
		return v, 0
	}},
	{"exponential", func(rng *rand.Rand, _ float64) (float64, float64) { return rng.ExpFloat64() - math.Ln2, 0 }},
	{"a tenth of outliers on one side", func(rng *rand.Rand, _ float64) (float64, float64) {
		if rng.Float64() < 0.1 {
			return -10 * rng.Float64(), 0
		}
		return rng.NormFloat64() + 0.1397, 0 // its quantile of 4/9 is -0.1397: half of all values lie below 0
	}},
	{"buckets", func(rng *rand.Rand, _ float64) (float64, float64) { return math.Round(rng.NormFloat64()), 0 }},
	{"autoregression of 0.4", func(rng *rand.Rand, last float64) (float64, float64) {
		v := 0.4*last + math.Sqrt(1-0.16)*rng.NormFloat64()
		return v, v
	}},
}

// TestMedianSequenceHolds: looked at after each of 40 values, the interval leaves out the true median at some look in
// at most 5 % of runs, where Student's t, looked at as often, does in far more.
func TestMedianSequenceHolds(t *testing.T) {
	const looks = 40
	runs := 1500
	if testing.Short() {
		runs = 300
	}
	for _, s := range sources {
		rng := rand.New(rand.NewPCG(7, 1))
		wrong, student := 0, 0
		for range runs {
			var values []float64
			missed, missedT := false, false
			_, state := s.next(rng, rng.NormFloat64())
			for len(values) < looks {
				var v float64
				v, state = s.next(rng, state)
				values = append(values, v)
				lo, hi, _, _ := MedianSequence(values)
				missed = missed || lo > 0 || hi < 0
				if s.name == "normal" && len(values) >= MinRepeats && !missedT {
					_, lo, hi = MeanCI(values, Confidence)
					missedT = missedT || lo > 0 || hi < 0
				}
			}
			wrong, student = wrong+truth(missed), student+truth(missedT)
		}
		t.Logf("%s: %.1f %% leave the median out at some look", s.name, 100*float64(wrong)/float64(runs))
		if float64(wrong)/float64(runs) > 0.05 {
			t.Errorf("%s: %.1f %%", s.name, 100*float64(wrong)/float64(runs))
		}
		if s.name == "normal" && float64(student)/float64(runs) < 0.15 {
			t.Errorf("Student's t looked at after each repeat is wrong in %.1f %% only: the looks of this test are none", 100*float64(student)/float64(runs))
		}
	}
}

func truth(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestMedianSequenceNarrows: with eight values it is their range, and it needs about four times as many values to be
// half as wide.
func TestMedianSequenceNarrows(t *testing.T) {
	if _, _, _, ok := MedianSequence([]float64{1, 2, 3, 4, 5, 6, 7}); ok {
		t.Error("seven values have an interval")
	}
	lo, hi, effect, ok := MedianSequence([]float64{5, 2, 7, 4, 1, 8, 3, 6})
	if !ok || lo != 1 || hi != 8 || effect != 1 {
		t.Errorf("of eight values: %v to %v, effect %v, %v", lo, hi, effect, ok)
	}
	rng := rand.New(rand.NewPCG(8, 1))
	width := func(n int) (sum float64) {
		for range 300 {
			var values []float64
			for range n {
				values = append(values, rng.NormFloat64())
			}
			lo, hi, _, _ := MedianSequence(values)
			sum += min(hi-lo, 10)
		}
		return sum
	}
	if few, many := width(24), width(96); many > 0.62*few || many < 0.4*few {
		t.Errorf("four times as many values are %.2f times as wide", many/few)
	}
}

// TestDriftIsNotKnown: values that only rise have no interval that is narrow, however many there are.
func TestDriftIsNotKnown(t *testing.T) {
	var values []float64
	for i := range 60 {
		values = append(values, float64(i))
	}
	if lo, hi, effect, ok := MedianSequence(values); ok && hi-lo < 30 {
		t.Errorf("%v to %v, effect %v", lo, hi, effect)
	}
}
