package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestTrimmedIsTukeyAndMcLaughlins compares with SciPy's mstats.trimmed_mean and winsorize,
// limits (1/7, 1/7), and its density of t, integrated, with 0.9 of its 4 degrees of freedom, of six repeats that agree and one in which the machine
// became slower between A and B.
func TestTrimmedIsTukeyAndMcLaughlins(t *testing.T) {
	d, ok := Paired(logs(0.861, 0.858, 0.534, 0.866, 0.849, 0.853, 0.871), Doubt{})
	if !ok || math.Abs(d.mean+0.15387482972590613) > 1e-12 || math.Abs(d.se-0.004677571991949155) > 1e-12 {
		t.Errorf("mean %v, error %v, want SciPy's", d.mean, d.se)
	}
	if math.Abs(d.P()-1.353535524e-05) > 1e-14 || math.Abs(d.PAbove(-0.1)-(1-0.00028587875828)) > 1e-12 {
		t.Errorf("p %v, above -0.1 %v, want SciPy's", d.P(), d.PAbove(-0.1))
	}
	if d.Hi > -0.13 || d.Lo < -0.2 {
		t.Errorf("interval %v..%v, want about -0.17..-0.14", d.Lo, d.Hi)
	}
}

// TestPairedOnAMachineOfTwoSpeeds: in one repeat of six something on the host halves the
// machine's speed while one of the two is measured.
func TestPairedOnAMachineOfTwoSpeeds(t *testing.T) {
	const times, repeats = 4000, 7
	rng := rand.New(rand.NewPCG(7, 1))
	draw := func(change float64) []float64 {
		sample := make([]float64, repeats)
		for i := range sample {
			sample[i] = change + 0.02*rng.NormFloat64()
			if rng.IntN(6) == 0 {
				sample[i] += math.Copysign(0.6, rng.NormFloat64())
			}
		}
		return sample
	}
	alarms, found := 0, 0
	for range times {
		same, _ := Paired(draw(0), Doubt{})
		slower, _ := Paired(draw(math.Log(0.85)), Doubt{})
		alarms += one(same.Clear())
		found += one(slower.Hi < math.Log(0.97))
	}
	t.Logf("of %d: %d false alarms, a drop of 15 %% found %d times", times, alarms, found)
	if alarms > times/20 || found < times*6/10 {
		t.Errorf("%d false alarms (5 %% at most), found %d times (60 %% at least)", alarms, found)
	}
}

// TestTrimmedKeepsItsLevel: of normal samples without a difference, no more are called different than asked.
func TestTrimmedKeepsItsLevel(t *testing.T) {
	const times = 40000
	rng := rand.New(rand.NewPCG(7, 2))
	for _, n := range []int{7, 10, 15, 30} {
		often, seldom := 0, 0
		for range times {
			sample := make([]float64, n)
			for i := range sample {
				sample[i] = rng.NormFloat64()
			}
			d, _ := Paired(sample, Doubt{})
			often += one(d.P() < 0.05)
			seldom += one(d.P() < 0.005)
		}
		// Three standard errors of a share of 40000: 0.33 % of 5 %, 0.11 % of 0.5 %.
		if a, b := float64(often)/times, float64(seldom)/times; a > 0.0533 || b > 0.0061 {
			t.Errorf("of %d values: %.2f %% below 0.05, %.2f %% below 0.005", n, 100*a, 100*b)
		}
	}
}

func one(is bool) int {
	if is {
		return 1
	}
	return 0
}
