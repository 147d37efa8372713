package threshold

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

// TestTwoObjectives: an objective of the user plane and one of the control plane, for the same
// time, are kept or broken each by itself.
func TestTwoObjectives(t *testing.T) {
	with := func(loss float64, p99 uint64) *record.ControlPlane {
		return &record.ControlPlane{
			Rates: []record.ProcedureRate{{Procedure: "establish", Goal: record.RateMax, PerS: 9000, Valid: true},
				{Procedure: "mix", Goal: record.RateMax, PerS: 4000, AtLeast: true, Valid: true}},
			Beside: []record.BesideTraffic{{Direction: record.Uplink, Share: 0.5, With: record.BesideUPF, PerS: 1000,
				FrameLossRatio: loss, Valid: true,
				Procedures: &record.ProcedureLoad{Sent: 1000, Done: 1000, Latency: &record.Latency{Count: 1000, P99: p99}}}},
		}
	}
	r := &record.Result{DUTs: []record.DUT{{Name: "a", ControlPlane: with(0, 50e6)}, {Name: "b", ControlPlane: with(0.1, 1e6)}}}
	const at = " uplink at 50 %, beside 1000 procedures/s "
	for text, want := range map[string]string{
		"beside.loss_ratio <= 0.001%":  "a" + at + "pass; b" + at + "fail",
		"beside.n4_p99 <= 10ms":        "a" + at + "fail; b" + at + "pass",
		"beside.n4_p99 <= 10ms @ 1k b": "b" + at + "pass",
		"beside.n4_p99 <= 10ms @ 100": "a cannot tell nothing was measured that has this figure; b cannot tell " +
			"nothing was measured that has this figure",
		"n4.rate >= 5k @ establish a": "a establish pass",
		"n4.rate >= 5k @ mix a":       "a mix cannot tell limited by generator: the UPF may do better",
	} {
		if got := outcomes(t, r, text); got != want {
			t.Errorf("%s:\n got %s\nwant %s", text, got, want)
		}
	}
}
