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
	exponentials, constants := exponentialTimes(1e9/mu), constantTimes(1e9/mu)
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
		{"M/D/1", 700, func(l float64) (law, float64) { return md1(l, mu) }, constants, exponentialTimes, 0},
		{"M/D/1/K", 950, func(l float64) (law, float64) { return md1k(l, mu, 12) }, constants, exponentialTimes, 12},
		{"M/D/1/K overload", 2000, func(l float64) (law, float64) { return md1k(l, mu, 12) }, constants, exponentialTimes, 12},
		{"M/D/1/1", 500, func(l float64) (law, float64) { return md1k(l, mu, 1) }, constants, exponentialTimes, 1},
		{"D/M/1", 800, func(l float64) (law, float64) { return dm1(l, mu) }, exponentials, constantTimes, 0},
		{"D/M/1/K", 1100, func(l float64) (law, float64) { return dm1k(l, mu, 20) }, exponentials, constantTimes, 20},
		{"D/D/1/K", 1600, func(l float64) (law, float64) { return dd1k(l, mu, 20) }, constants, constantTimes, 20},
		{"M[X]/M/1", 600, func(l float64) (law, float64) { return mx1(l, mu, batches{mean: 4}) }, exponentials, geometricBursts(4), 0},
		{"M[X]/M/1/K", 1100, func(l float64) (law, float64) { return mx1k(l, mu, batches{mean: 4}, 30) }, exponentials, geometricBursts(4), 30},
		{"M/G/1", 700, func(l float64) (law, float64) { return mg1(l, gamma{1 / mu, 0.5}) },
			func(r *rand.Rand) float64 { return (r.ExpFloat64() + r.ExpFloat64()) * 0.5e9 / mu }, exponentialTimes, 0},
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

// TestPollsGetCheaperUnderLoad: a poll that costs as much as four packets leaves
// one service at low load, and nearly all the rate in overload.
func TestPollsGetCheaperUnderLoad(t *testing.T) {
	s := Simulation{Service: constantTimes(1000), PollNS: 4000, PollPackets: 64, QueuePackets: 256, Packets: 50_000, WarmUp: 5000}
	s.Gap = constantTimes(1e6)
	if got := s.Run().MeanNS(); got != 5000 {
		t.Errorf("%g ns alone, want 5000", got)
	}
	s.Gap = constantTimes(500)
	if got, want := s.Run().LossRatio, 1-500/(1000+4000.0/64); !near(got, want, 0.01) {
		t.Errorf("loss %g in overload, want %g", got, want)
	}
}

// TestWakesOnlyAfterPatience: with gaps shorter than its patience a server stays
// awake.
func TestWakesOnlyAfterPatience(t *testing.T) {
	s := Simulation{Service: constantTimes(1000), WakeNS: 50_000, PatienceNS: 20_000, Packets: 1000, WarmUp: 1}
	for gap, want := range map[float64]float64{1e6: 51_000, 10_000: 1000} {
		s.Gap = constantTimes(gap)
		if got := s.Run().MeanNS(); got != want {
			t.Errorf("gap %g: %g ns, want %g", gap, got, want)
		}
	}
}
