package modelling

import (
	"math"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// twoClasses are trials of a server that both classes share first come first served: QFI 5
// is one session of four, so a quarter of the load, and each has the server's latency.
func twoClasses(loss func(pps float64) float64) *record.DUT {
	d := &record.DUT{Stress: &record.Stress{}}
	for _, pps := range []float64{20e3, 60e3, 100e3, 140e3, 170e3, 185e3} {
		for repeat := range 3 {
			t := mm1(record.Uplink, pps)
			t.Repeat, t.Sessions = repeat+1, 4
			t.Classes = []record.Class{
				{Class: "QFI 5", Sessions: 1, TxPackets: uint64(pps) / 4, TxPPS: pps / 4, Latency: t.Latency},
				{Class: "QFI 1", Sessions: 3, TxPackets: uint64(pps) * 3 / 4, TxPPS: pps * 3 / 4, FrameLossRatio: loss(pps), Latency: t.Latency},
			}
			d.Trials = append(d.Trials, t)
		}
	}
	return d
}

func TestSafeLoadOfEachClass(t *testing.T) {
	d := twoClasses(func(float64) float64 { return 0 })
	Fit(d, Options{Targets: []record.LoadTarget{{P99NS: 100e3}}, Models: []string{"M/M/1"}})
	got := map[string]record.SafeLoad{}
	for _, s := range d.SafeLoads {
		got[s.Class] = s
	}
	total := 200e3 - math.Log(100)/95e-6 // p99 = 100 us, of which 5 are the way
	near := func(a, b float64) bool { return math.Abs(a/b-1) < 0.02 }
	if len(got) != 3 || !near(got[""].PPS, total) {
		t.Fatalf("%+v; of all %.0f packets/s", d.SafeLoads, total)
	}
	for class, share := range map[string]float64{"QFI 5": 0.25, "QFI 1": 0.75} {
		s := got[class]
		own := share * total
		costs := math.Log(100) * (1e9/(200e3-total) - 1e9/(200e3-own))
		if !near(s.PPS, own) || !near(s.OtherPPS, total-own) || !near(s.AlonePPS, total) ||
			!near(s.OtherP99NS, costs) || s.LowPPS > s.PPS || s.HighPPS < s.PPS {
			t.Errorf("%s: %+v; want %.0f packets/s beside %.0f, alone %.0f, %.0f ns", class, s, own, total-own, total, costs)
		}
	}
	chosen := map[string]bool{}
	for _, m := range d.Models {
		chosen[m.Class] = chosen[m.Class] || m.Chosen
	}
	if len(chosen) != 3 || !chosen["QFI 1"] || !chosen["QFI 5"] {
		t.Errorf("chosen models of %v", chosen)
	}
}

// A UPF that drops one class from a load on: its own safe load ends there, and not the
// other's.
func TestClassThatIsDropped(t *testing.T) {
	d := twoClasses(func(pps float64) float64 {
		if pps > 100e3 {
			return 0.3
		}
		return 0
	})
	Fit(d, Options{Targets: []record.LoadTarget{{P99NS: 1e6, LossRatio: 0.001}}, Models: []string{"M/M/1"}})
	for _, s := range d.SafeLoads {
		switch s.Class {
		case "QFI 1":
			if !s.Measured || s.PPS != 75e3 || s.HighPPS != 105e3 || s.OtherPPS != 25e3 || s.AlonePPS != 0 {
				t.Errorf("%+v: it keeps the target at three quarters of 100,000 packets/s", s)
			}
		case "QFI 5":
			if s.PPS < 40e3 {
				t.Errorf("%+v: it loses nothing", s)
			}
		}
	}
	if text := strings.Join(d.Stress.Problems, "; "); !strings.Contains(text, "QFI 1: no model fits") {
		t.Error(text)
	}
}

func TestClassesThatWereNotTimed(t *testing.T) {
	d := twoClasses(func(float64) float64 { return 0 })
	for i := range d.Trials {
		d.Trials[i].Classes[0].Latency = nil
	}
	Fit(d, Options{Targets: []record.LoadTarget{{P99NS: 100e3}}, Models: []string{"M/M/1"}})
	if len(d.SafeLoads) != 1 || len(d.Stress.Problems) != 1 || !strings.Contains(d.Stress.Problems[0], "not timed") {
		t.Errorf("%+v, %q", d.SafeLoads, d.Stress.Problems)
	}
}
