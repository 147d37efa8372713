package stats

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"testing"
)

// Slopes and intervals are those of scipy.stats.theilslopes 1.17.1; p is Mann and
// Kendall's formula, computed separately.
func TestTrendAgainstSciPy(t *testing.T) {
	raw, err := os.ReadFile("testdata/trend.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct {
		Name                string
		X, Y                []float64
		Slope, Low, High, P float64
	}
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		got, ok := TrendOf(c.X, c.Y)
		if !ok {
			t.Errorf("%s: no trend of %d points", c.Name, len(c.X))
		}
		for what, pair := range map[string][2]float64{"slope": {got.Slope, c.Slope}, "low": {got.Low, c.Low},
			"high": {got.High, c.High}, "p": {got.P, c.P}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9*math.Max(1, math.Abs(pair[1])) {
				t.Errorf("%s: %s is %g, want %g", c.Name, what, pair[0], pair[1])
			}
		}
	}
}

// series is n points over an hour.
func series(n int, of func(part float64, rng *rand.Rand) float64) (x, y []float64) {
	rng := rand.New(rand.NewPCG(1, uint64(n)))
	for i := range n {
		part := float64(i) / float64(n-1)
		x, y = append(x, 3600*part), append(y, of(part, rng))
	}
	return x, y
}

func TestDrift(t *testing.T) {
	for _, c := range []struct {
		why  string
		n    int
		of   func(part float64, rng *rand.Rand) float64
		want string
	}{
		{"noise of a tenth", 2000, func(_ float64, rng *rand.Rand) float64 { return 100 + 10*rng.NormFloat64() }, DriftSteady},
		{"always the same", 2000, func(float64, *rand.Rand) float64 { return 64 }, DriftSteady},
		{"a fifth more at the end", 2000, func(part float64, rng *rand.Rand) float64 { return 100 + 20*part + 10*rng.NormFloat64() }, DriftRises},
		{"a fifth less", 2000, func(part float64, rng *rand.Rand) float64 { return 100 - 20*part + 10*rng.NormFloat64() }, DriftFalls},
		{"a certain rise, within the tolerance", 2000,
			func(part float64, rng *rand.Rand) float64 { return 100 + 5*part + rng.NormFloat64() }, DriftSteady},
		{"too few points", 9, func(part float64, _ *rand.Rand) float64 { return 100 + 100*part }, DriftUnknown},
		{"too noisy for so few", 20, func(_ float64, rng *rand.Rand) float64 { return 100 + 40*rng.NormFloat64() }, DriftUnknown},
		{"one of fifty is a hundred times as much", 2000, func(_ float64, rng *rand.Rand) float64 {
			if rng.IntN(50) == 0 {
				return 10000
			}
			return 100 + rng.NormFloat64()
		}, DriftSteady},
		{"a leak in steps", 2000, func(part float64, _ *rand.Rand) float64 { return 1e8 + 1e7*math.Floor(8*part) }, DriftRises},
		{"nothing was read", 100, func(float64, *rand.Rand) float64 { return 0 }, DriftUnknown},
	} {
		x, y := series(c.n, c.of)
		if d := DriftOf(x, y, 0.1); d.Verdict != c.want {
			t.Errorf("%s: %s (%+.3g, %+.3g..%+.3g, p %.3g), want %s", c.why, d.Verdict, d.Change, d.ChangeLow, d.ChangeHigh, d.P, c.want)
		}
	}
	if _, ok := TrendOf([]float64{1, 2, 3, 4, 5, 6, 7, 7, 8, 9}, make([]float64, 10)); ok {
		t.Error("two points at one time have a trend")
	}
}

// TestDriftFalseAlarms: of a hundred soaks of something steady whose neighbours
// depend on each other, at most five are named.
func TestDriftFalseAlarms(t *testing.T) {
	alarms := 0
	for seed := range uint64(100) {
		rng := rand.New(rand.NewPCG(seed, 2))
		x, y, state := make([]float64, 2000), make([]float64, 2000), 0.0
		for i := range x {
			state = 0.9*state + rng.NormFloat64()
			x[i], y[i] = float64(i), 100+state
		}
		if v := DriftOf(x, y, 0).Verdict; v == DriftRises || v == DriftFalls {
			alarms++
		}
	}
	if alarms > 5 {
		t.Errorf("%d of 100", alarms)
	}
}
