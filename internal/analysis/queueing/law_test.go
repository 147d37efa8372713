package queueing

import (
	"math/rand/v2"
	"testing"
)

// geometricBursts gives gaps of batches whose size is geometric of a mean.
func geometricBursts(mean float64) func(gap float64) func(*rand.Rand) float64 {
	return func(gap float64) func(*rand.Rand) float64 {
		return func(r *rand.Rand) float64 {
			if r.Float64() < 1-1/mean {
				return 0
			}
			return gap * mean * r.ExpFloat64()
		}
	}
}

// TestLawsAgreeWithSimulation: the packet by packet simulation knows nothing of
// the formulas.
func TestLawsAgreeWithSimulation(t *testing.T) {
	const mu = 1000.0
	exponentials := exponentialTimes(1e9 / mu)
	for _, c := range []struct {
		name    string
		load    float64
		law     func(load float64) (law, float64)
		service func(*rand.Rand) float64
		gap     func(mean float64) func(*rand.Rand) float64
		k       int
	}{
		{"M/M/1", 700, func(l float64) (law, float64) { return mm1(l, mu) }, exponentials, exponentialTimes, 0},
		{"M/M/1/K", 900, func(l float64) (law, float64) { return mm1k(l, mu, 16) }, exponentials, exponentialTimes, 16},
		{"M/M/1/K overload", 1400, func(l float64) (law, float64) { return mm1k(l, mu, 16) }, exponentials, exponentialTimes, 16},
		{"D/M/1/K", 1100, func(l float64) (law, float64) { return dm1k(l, mu, 20) }, exponentials, constantTimes, 20},
		{"M[X]/M/1", 600, func(l float64) (law, float64) { return mx1(l, mu, batches{mean: 4}) }, exponentials, geometricBursts(4), 0},
		{"M[X]/M/1/K", 1100, func(l float64) (law, float64) { return mx1k(l, mu, batches{mean: 4}, 30) }, exponentials, geometricBursts(4), 30},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := Simulation{Service: c.service, Gap: c.gap(1e9 / c.load), QueuePackets: c.k, Packets: 420_000, WarmUp: 20_000, Seed: 3}
			agree(t, c.load, c.law, s.Run())
		})
	}
}

func agree(t *testing.T, load float64, at func(float64) (law, float64), s Simulated) {
	t.Helper()
	l, loss := at(load)
	if !near(l.mean()*1e9, s.MeanNS(), 0.03) {
		t.Errorf("mean %g ns, simulated %g", l.mean()*1e9, s.MeanNS())
	}
	for _, p := range []float64{0.5, 0.95, 0.99} {
		if got := quantile(l, p) * 1e9; !near(got, s.QuantileNS(p), 0.05) {
			t.Errorf("p%g %g ns, simulated %g", 100*p, got, s.QuantileNS(p))
		}
	}
	if d := loss - s.LossRatio; d > 0.003+0.03*loss || d < -0.003-0.03*loss {
		t.Errorf("loss %g, simulated %g", loss, s.LossRatio)
	}
}
