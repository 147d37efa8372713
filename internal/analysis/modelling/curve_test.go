package modelling

import (
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/analysis/queueing"
)

// simulated are points of a server of 80,000 packets/s with room for 64, packet by
// packet.
func simulated(service func(*rand.Rand) float64, shares ...float64) (points []queueing.Point) {
	for i, share := range shares {
		gap := 12500 / share
		out := queueing.Simulation{Service: service, Gap: func(r *rand.Rand) float64 { return gap * r.ExpFloat64() },
			QueuePackets: 64, Packets: 60_000, WarmUp: 5000, Seed: uint64(i) + 1}.Run()
		points = append(points, queueing.Point{LoadPPS: 80e3 * share, MeanNS: out.MeanNS() + 9000, P95NS: out.QuantileNS(0.95) + 9000,
			P99NS: out.QuantileNS(0.99) + 9000, LossRatio: out.LossRatio, Packets: 60_000})
	}
	return points
}

// TestCurves: the chosen model and M/M/1 have a curve and residuals, and the band of
// the chosen one holds what was measured between its loads.
func TestCurves(t *testing.T) {
	points := simulated(func(r *rand.Rand) float64 { return 12500 * r.ExpFloat64() }, 0.1, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 1, 1.1, 1.3)
	f := FitPoints(points, queueing.Poisson, 0, Options{Models: []string{"M/M/1", "M/M/1/K", "D/M/1/K"}})
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	for _, m := range f.Models() {
		if wanted := m.Chosen || m.Name == "M/M/1"; (len(m.Curve) > 0) != wanted || (len(m.Residuals) > 0) != wanted {
			t.Errorf("%s: %d points of a curve, %d residuals", m.Name, len(m.Curve), len(m.Residuals))
		}
		if !m.Chosen {
			continue
		}
		if m.Name != "M/M/1/K" {
			t.Errorf("%s is chosen", m.Name)
		}
		for _, p := range m.Curve {
			if p.Low == nil || p.Low.P99NS > p.P99NS*1.01 || p.High.P99NS < p.P99NS*0.99 || p.High.P99NS > 1.3*p.Low.P99NS {
				t.Fatalf("at %.0f packets/s: %+v, %+v, %+v", p.LoadPPS, p.Predicted, p.Low, p.High)
			}
		}
	}
}
