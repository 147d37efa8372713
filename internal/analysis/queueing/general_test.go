package queueing

import (
	"math"
	"testing"
)

// TestKingmanIsExactForMG1: with Poisson arrivals it is Pollaczek and Khinchine's mean,
// rho (1 + cs²) / (2 (1 - rho)) service times (Kleinrock vol. 1, 5.6).
func TestKingmanIsExactForMG1(t *testing.T) {
	for _, busy := range []float64{0.1, 0.5, 0.8, 0.95} {
		for _, service := range []float64{0, 0.5, 1, 4} {
			if want, got := busy*(1+service)/(2*(1-busy)), kingman(busy, 1, service); !near(got, want, 1e-9) {
				t.Errorf("busy %g, scv %g: %g, want %g", busy, service, got, want)
			}
		}
	}
}

// TestKingmanOfErlangArrivals compares with E2/M/1, whose sojourn is exponential
// with rate mu (1 - sigma), sigma = (2 lambda / (2 lambda + mu (1 - sigma)))² (Kleinrock
// vol. 1, 6.4): the approximation is for heavy traffic, and is close there.
func TestKingmanOfErlangArrivals(t *testing.T) {
	const mu = 1000.0
	for load, within := range map[float64]float64{800: 0.08, 900: 0.04, 970: 0.03} {
		sigma := load / mu
		for range 500 {
			sigma = math.Pow(2*load/(2*load+mu*(1-sigma)), 2)
		}
		mean := 1 / (mu * (1 - sigma))
		l, _ := gg1(load, gamma{1 / mu, 1}, 0.5)
		if !near(l.mean(), mean, within) {
			t.Errorf("at %g: mean %g, exact %g", load, l.mean(), mean)
		}
		for _, p := range []float64{0.95, 0.99} {
			if got, want := quantile(l, p), -math.Log(1-p)*mean; !near(got, want, within) {
				t.Errorf("at %g: p%g %g, exact %g", load, 100*p, got, want)
			}
		}
	}
}

// TestUnlimitedWakeUp: M/M/1 with exponential setup after each idle period has the mean
// sojourn 1/(mu - lambda) + setup (Adan and Resing, 11.2).
func TestUnlimitedWakeUp(t *testing.T) {
	const mu, setup = 1000.0, 0.004
	for _, load := range []float64{100, 500, 900} {
		l, loss := wakeup(load, mu, sleeper{setup, 1e-9}, 4096)
		if want := 1/(mu-load) + setup; !near(l.mean(), want, 1e-3) || loss > 1e-9 {
			t.Errorf("at %g: mean %g, want %g; loss %g", load, l.mean(), want, loss)
		}
	}
}
