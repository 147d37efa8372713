package render_test

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func soaked() *record.Result {
	return &record.Result{DUTs: []record.DUT{{Name: "open5gs", Mode: "tun", Trials: []record.Trial{{
		Kind: record.KindLoad, Direction: "uplink", Load: record.Load{Kind: record.LoadSoak, PPS: 123456, Share: 0.5},
		Repeat: 1, Judgement: record.Judgement{Valid: true, LimitedBy: "none"}, DurationS: 1800,
		Traffic: record.Traffic{FrameLossRatio: 0.002},
		Soak: &record.Soak{PlannedS: 3600, Of: "the non-drop rate", Share: 0.5, LossBudget: 1e-5, Drifts: []record.Drift{
			{Quantity: "latency p50", Unit: "ns", Points: 50, Median: 12345, PerHour: 100, LowPerHr: -50,
				HighPerHr: 250, Change: 0.0041, Tolerance: 0.1, P: 0.4, Verdict: "steady"},
			{Quantity: "memory", Unit: "bytes", Points: 50, Median: 64 << 20, PerHour: 32 << 20, LowPerHr: 30 << 20,
				HighPerHr: 34 << 20, Change: 0.25, Tolerance: 0.02, P: 1e-9, Verdict: "rises"},
			{Quantity: "CPU", Unit: "cores", Points: 4, Verdict: "cannot tell"},
		}},
	}}}}}
}

func TestSoakIsShown(t *testing.T) {
	for ending, want := range map[string][]string{
		"txt": {"uplink at 123.46 kpps, 50 % of the non-drop rate 1800 s of 3600 s", "0.20 %", "over the budget",
			"latency p50", "steady", "+32 MiB/h (+30..+34)", "cannot tell"},
		"md":   {"## Soak", "+0.1 µs/h (-0.05..+0.25)", "+32 MiB/h (+30..+34)", "+25 % (allowed: 2 %)", "**over the budget**"},
		"html": {"<h2>Soak</h2>", "over the budget", "&#43;32 MiB/h"},
	} {
		out := strings.Join(strings.Fields(string(render(t, formats()[ending], soaked()))), " ")
		for _, w := range want {
			if !strings.Contains(out, w) {
				t.Errorf("%s lacks %q", ending, w)
			}
		}
	}
}
