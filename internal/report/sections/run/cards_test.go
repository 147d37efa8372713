package run

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// trials of a direction: each is valid, or the host disturbed it.
type attempt struct {
	pps, loss float64
	valid     bool
}

// answered are the cards of a UPF with trials, by their questions.
func answered(t *testing.T, d record.DUT, list ...attempt) map[string]string {
	t.Helper()
	for _, a := range list {
		one := record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Repeat: 1, PacketSize: record.PacketSize{PayloadBytes: 1400},
			Load: record.Load{PPS: a.pps}}
		one.TxPPS, one.RxPPS, one.FrameLossRatio, one.TxPackets = a.pps, 0.9*a.pps*(1-a.loss), a.loss, uint64(3*a.pps) // a short trial whose tail was late
		if one.Valid, one.LimitedBy = a.valid, record.LimitNone; !a.valid {
			one.LimitedBy = record.LimitHost
		}
		d.Trials = append(d.Trials, one)
	}
	d.Name = "eupf"
	v := view.New(&record.Result{DUTs: []record.DUT{d}})
	said := map[string]string{}
	for _, c := range cards(v, v.UPFs[0], unitOf(v)) {
		for _, l := range c.Lines {
			said[c.Question] += l.String()
		}
	}
	return said
}

// TestSafeLoadIsWhatWasAsked: a study answers with its targets or with why it cannot; the load up to
// which nothing was lost is not called safe, and ends below a trial that lost packets, valid or not.
func TestSafeLoadIsWhatWasAsked(t *testing.T) {
	none := []record.SafeLoad{{Direction: record.Uplink, Size: "1400", Target: record.LoadTarget{P99NS: 1e6, LossRatio: 0.001}}}
	study := record.DUT{Stress: &record.Stress{}, SafeLoads: none}
	for _, c := range []struct {
		story          string
		dut            record.DUT
		trials         []attempt
		question, says string
	}{
		{"disturbed below", study, []attempt{{1000, 0.3, false}, {2000, 0.6, false}, {41_100, 0, true}}, "Safe load",
			"uplink: cannot tell: 2 of 3 trials were disturbed"},
		{"the lowest breaks the target", study, []attempt{{1000, 0.3, true}, {2000, 0.6, false}}, "Safe load",
			"uplink: no load keeps the targets, not even the lowest, 1000 pps"},
		{"nothing usable", record.DUT{Stress: &record.Stress{}}, []attempt{{1000, 0.3, false}}, "Safe load",
			"uplink: cannot tell: 1 of 1 trials were disturbed"},
		{"no study", record.DUT{}, []attempt{{1000, 0, true}, {2000, 0, true}, {3000, 0.1, true}}, "No loss",
			"uplink: up to 2.0 kpps (under 3 in 6,000, 95 %)"},
		{"one that lost is not valid", record.DUT{}, []attempt{{1000, 0, true}, {2000, 0.1, false}, {3000, 0, true}}, "No loss",
			"uplink: up to 1.0 kpps (under 3 in 3,000, 95 %)"},
	} {
		said := answered(t, c.dut, c.trials...)
		if said[c.question] != c.says {
			t.Errorf("%s: %q, want %q", c.story, said, c.says)
		}
	}
}

// TestRateHasAnInterval: on a machine that was calibrated the first line says where another run lies; a bound, and a
// machine that was not, have none.
func TestRateHasAnInterval(t *testing.T) {
	c := &record.Calibration{Runs: 8, Days: 2, Device: "builtin:xdp", Scatter: []record.Scatter{{Figure: "rx_pps", SD: 0.03, DF: 7}}}
	for _, x := range []struct {
		c       *record.Calibration
		limited record.Limit
		says    string
	}{
		// Student's t of 7 degrees of freedom is 2.3646 at 97.5 %: exp(1.4142 * 0.0709) = 1.1055.
		{c, record.LimitDUT, "uplink: 2.00 Mpps (1.81 to 2.21 from run to run), 0.0000 Gbit/s"},
		{nil, record.LimitDUT, "uplink: 2.00 Mpps, 0.0000 Gbit/s"},
		{c, record.LimitHost, "uplink: ≥ 2.00 Mpps, ≥ 0.0000 Gbit/s"},
	} {
		one := record.Trial{Kind: record.KindLoad, Direction: record.Uplink, Repeat: 1, PacketSize: record.PacketSize{PayloadBytes: 1400},
			Load: record.Load{PPS: 3e6}}
		one.TxPPS, one.RxPPS, one.FrameLossRatio, one.Valid, one.LimitedBy = 3e6, 2e6, 1./3, true, x.limited
		d := record.DUT{Name: "eupf", Trials: []record.Trial{one}}
		v := view.New(&record.Result{DUTs: []record.DUT{d}, Calibration: x.c})
		if said := cards(v, v.UPFs[0], unitOf(v))[0].Lines[0]; said.String() != x.says {
			t.Errorf("%q, want %q", said.String(), x.says)
		}
	}
}

// TestAnotherRunLiesThere: of runs whose logarithms scatter, eight calibrate the machine, and of two more one lies where
// the interval around the other says, in 95 %; repeats that differed by more make it wider.
func TestAnotherRunLiesThere(t *testing.T) {
	const trials, sd = 4000, 0.05
	r := rand.New(rand.NewPCG(9, 4))
	plain := func(x float64) string { return fmt.Sprint(x) }
	inside := 0
	for range trials {
		sum, squares := 0.0, 0.0
		for range 8 {
			x := sd * r.NormFloat64()
			sum, squares = sum+x, squares+x*x
		}
		c := &record.Calibration{Runs: 8, Days: 1, Scatter: []record.Scatter{{Figure: "rx_pps", DF: 7, SD: math.Sqrt((squares - sum*sum/8) / 7)}}}
		one, other := math.Exp(sd*r.NormFloat64()), math.Exp(sd*r.NormFloat64())
		var low, high float64
		text := betweenRuns(c, "rx_pps", view.Stat{Median: one, Min: one, Max: one, N: 1}, plain)
		if _, err := fmt.Sscanf(text, "%g to %g from run to run", &low, &high); err != nil {
			t.Fatal(text, err)
		}
		if other >= low && other <= high {
			inside++
		}
	}
	if share := float64(inside) / trials; share < 0.935 || share > 0.965 {
		t.Errorf("the other run is inside in %.3f", share)
	}
	c := &record.Calibration{Runs: 8, Scatter: []record.Scatter{{Figure: "rx_pps", SD: 0.01, DF: 7}}}
	if text := betweenRuns(c, "rx_pps", view.Stat{Median: 1.5, Min: 1, Max: 2, N: 3}, plain); text != "1 to 2 from run to run" {
		t.Errorf("%q", text)
	}
}
