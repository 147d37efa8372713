package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func logs(sample ...float64) []float64 {
	for i := range sample {
		sample[i] = math.Log(sample[i])
	}
	return sample
}

// TestDifferenceIsWelchs holds p and interval to SciPy's ttest_ind(log b, log
// a, equal_var=False) and ttest_1samp.
func TestDifferenceIsWelchs(t *testing.T) {
	a, b := logs(2.41, 2.43, 2.38, 2.40, 2.44), logs(2.17, 2.21, 2.15, 2.25, 2.18)
	d, ok := Unpaired(a, b, Doubt{})
	if !ok || math.Abs(d.P()-3.167116226898819e-05) > 1e-12 {
		t.Errorf("p %v, want SciPy's", d.P())
	}
	if d.Lo > -0.11769968630473 || d.Hi < -0.07375737407866 {
		t.Errorf("interval %v..%v does not hold Welch's", d.Lo, d.Hi)
	}
	if want := math.Log(2.18) - math.Log(2.41); math.Abs(d.Value-want) > 1e-12 {
		t.Errorf("value %v, want that of the medians, %v", d.Value, want)
	}
	pairs := make([]float64, len(a))
	for i := range a {
		pairs[i] = b[i] - a[i]
	}
	p, ok := Paired(pairs, Doubt{})
	if !ok || math.Abs(p.P()-0.00032355045214783776) > 1e-12 {
		t.Errorf("paired: p %v, want SciPy's", p.P())
	}
	if got := p.PAbove(-0.05); math.Abs(got-0.9973461914037689) > 1e-9 {
		t.Errorf("paired: p above -0.05 is %v, want SciPy's", got)
	}
	if got := p.Negated().PAbove(0.05); math.Abs(got-0.0026538085962310993) > 1e-9 {
		t.Errorf("paired: p of a drop over 0.05 is %v, want SciPy's", got)
	}
}

func TestDifferenceNeedsRepeatsOrNoise(t *testing.T) {
	for _, c := range []struct {
		story string
		a, b  []float64
		noise float64
		ok    bool
	}{
		{"nothing", nil, []float64{1, 2, 3}, 0.02, false},
		{"one a side", []float64{1}, []float64{2}, 0, false},
		{"two a side", []float64{1, 1.1}, []float64{2, 2.1}, 0, false},
		{"many against one", []float64{1, 1.1, 1.2, 1}, []float64{2}, 0, false},
		{"three a side", []float64{1, 1.1, 1.2}, []float64{2, 2.1, 2}, 0, true},
		{"one a side, noise known", []float64{1}, []float64{2}, 0.02, true},
		{"many against one, noise known", []float64{1, 1.1, 1.2, 1}, []float64{2}, 0.02, true},
	} {
		if _, ok := Unpaired(c.a, c.b, Doubt{Noise: c.noise}); ok != c.ok {
			t.Errorf("%s: %v, want %v", c.story, ok, c.ok)
		}
	}
}

func TestDifferenceOfKnownNoise(t *testing.T) {
	d, _ := Unpaired([]float64{1}, []float64{1.1}, Doubt{Noise: 0.02})
	reach := 1.959963984540 * 0.02 * math.Sqrt2
	if math.Abs(d.Lo-(0.1-reach)) > 1e-9 || math.Abs(d.Hi-(0.1+reach)) > 1e-9 {
		t.Errorf("interval %v..%v, want 0.1 -+ %v", d.Lo, d.Hi, reach)
	}
	a, b := []float64{1, 1.001, 0.999}, []float64{1.05, 1.051, 1.049}
	quiet, _ := Unpaired(a, b, Doubt{})
	noisy, _ := Unpaired(a, b, Doubt{Noise: 0.03})
	if !quiet.Clear() || noisy.Clear() {
		t.Errorf("quiet %+v must be clear, noisy %+v must not", quiet, noisy)
	}
}

func TestDifferenceWithinResolutionIsNone(t *testing.T) {
	a, b := []float64{0, 0, 0, 0}, []float64{0.015, 0.015, 0.015, 0.015}
	if d, _ := Unpaired(a, b, Doubt{Resolution: 0.0156}); d.Clear() || d.P() < 0.99 {
		t.Errorf("one bucket between them: %+v, p %v", d, d.P())
	}
	if d, _ := Unpaired(a, b, Doubt{Resolution: 0.01}); !d.Clear() || d.P() > 1e-6 {
		t.Errorf("more than the resolution between them: %+v, p %v", d, d.P())
	}
	if d, _ := Unpaired(a, a, Doubt{}); d.Clear() || d.P() != 1 {
		t.Errorf("equal: %+v, p %v", d, d.P())
	}
}

// TestDifferenceOfNothing draws both samples from one distribution: no more
// than the promised 5 % of the intervals may leave out zero.
func TestDifferenceOfNothing(t *testing.T) {
	const trials = 600
	rng := rand.New(rand.NewPCG(7, 7))
	for _, c := range []struct {
		story string
		draw  func() float64
	}{
		{"normal", rng.NormFloat64},
		{"skewed", func() float64 { return rng.ExpFloat64() }},
		{"with outliers", func() float64 {
			if rng.IntN(10) == 0 {
				return 10 * rng.NormFloat64()
			}
			return rng.NormFloat64()
		}},
	} {
		for _, n := range []int{3, 5, 8} {
			differ := 0
			for range trials {
				d, _ := Unpaired(draws(n, c.draw), draws(n, c.draw), Doubt{})
				if d.Clear() {
					differ++
				}
			}
			if differ > trials*6/100 {
				t.Errorf("%s, %d values: %d of %d differ", c.story, n, differ, trials)
			}
		}
	}
}

func draws(n int, draw func() float64) []float64 {
	sample := make([]float64, n)
	for i := range sample {
		sample[i] = draw()
	}
	return sample
}
