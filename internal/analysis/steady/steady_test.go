package steady

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"
)

// warming falls from high to level 10 over so many values, with noise.
func warming(values, warm int, high, noise float64, seed uint64) []float64 {
	r := rand.New(rand.NewPCG(seed, 1))
	series := make([]float64, values)
	for i := range series {
		series[i] = 10 + noise*r.NormFloat64()
		if i < warm {
			series[i] += high * (1 - float64(i)/float64(warm))
		}
	}
	return series
}

func TestCutsTheWarmUp(t *testing.T) {
	for seed := range uint64(20) {
		w, err := Cut(warming(1000, 100, 30, 1, seed))
		if err != nil || w.Values < 80 || w.Values > 150 {
			t.Errorf("seed %d: %+v %v", seed, w, err)
		}
		if math.Abs(w.Mean-10) > 4*w.StandardError+0.05 {
			t.Errorf("seed %d: mean %g ± %g", seed, w.Mean, w.StandardError)
		}
	}
}

// TestKeepsWhatIsSteady: of noise alone, most is kept on average.
func TestKeepsWhatIsSteady(t *testing.T) {
	cut := 0
	for seed := range uint64(50) {
		w, err := Cut(warming(1000, 0, 0, 1, seed))
		if err == nil {
			cut += w.Values
		}
	}
	if cut/50 > 150 {
		t.Errorf("%d of 1000 steady values are cut", cut/50)
	}
}

func TestConstantSeriesIsKeptWhole(t *testing.T) {
	series := make([]float64, 102)
	for i := range series {
		series[i] = 7
	}
	if w, err := Cut(series); err != nil || w.Values != 0 || w.Mean != 7 || w.StandardError != 0 {
		t.Errorf("%+v %v", w, err)
	}
}

func TestCutRefuses(t *testing.T) {
	ramp := make([]float64, 400)
	for i := range ramp {
		ramp[i] = math.Exp(float64(i) / 20)
	}
	for i, j := 0, len(ramp)-1; i < j; i, j = i+1, j-1 {
		ramp[i], ramp[j] = ramp[j], ramp[i]
	}
	for i := range ramp {
		ramp[i] += float64(len(ramp) - i)
	}
	bad := warming(100, 0, 0, 1, 1)
	bad[3] = math.NaN()
	for _, c := range []struct {
		story  string
		series []float64
		want   error
	}{
		{"nothing", nil, ErrFew}, {"49 values", warming(49, 0, 0, 1, 1), ErrFew}, {"NaN", bad, ErrValue},
		{"it falls to the end", ramp, ErrNoSteady},
	} {
		if _, err := Cut(c.series); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", c.story, err, c.want)
		}
	}
}

// TestAgreesWithDefinition: the sums from the end are those of the definition.
func TestAgreesWithDefinition(t *testing.T) {
	series := warming(300, 60, 5, 1, 9)
	means := batchMeans(series)
	least, at := math.Inf(1), 0
	for d := 0; d <= len(means)-MinBatches/2; d++ {
		mean, squares, n := 0.0, 0.0, float64(len(means)-d)
		for _, m := range means[d:] {
			mean += m / n
		}
		for _, m := range means[d:] {
			squares += (m - mean) * (m - mean)
		}
		if v := squares / (n * n); v < least {
			least, at = v, d
		}
	}
	if w, _ := Cut(series); w.Values != at*Batch {
		t.Errorf("cut at %d, by definition %d", w.Values, at*Batch)
	}
}
