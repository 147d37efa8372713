package run

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func TestSafeSentence(t *testing.T) {
	target := func(ms float64) record.LoadTarget { return record.LoadTarget{P99NS: ms * 1e6, LossRatio: 0.001} }
	safe := func(d record.Direction, arrivals string, ms, pps float64) record.SafeLoad {
		return record.SafeLoad{Direction: d, Arrivals: arrivals, Target: target(ms), PPS: pps, CPUCores: pps / 1e6}
	}
	up, down := record.Uplink, record.Downlink
	atLeast, measured := safe(down, "", 1, 300_000), safe(up, "", 1, 200_000)
	atLeast.AtLeast, measured.Measured = true, true
	disturbed := measured
	disturbed.Disturbed = true
	for _, c := range []struct {
		story string
		loads []record.SafeLoad
		want  string
	}{
		{"the tightest target, by the arrivals that keep it least",
			[]record.SafeLoad{safe(up, "", 5, 400_000), safe(up, "", 1, 300_000), safe(up, "poisson", 1, 200_000)},
			"uplink: keep this UPF under 200.0 kpps (20 % of its CPU) and 99 % of packets pass within 1.00 ms"},
		{"a target that one of them never keeps is passed over",
			[]record.SafeLoad{safe(up, "", 1, 300_000), safe(up, "poisson", 1, 0), safe(up, "", 5, 400_000),
				safe(up, "poisson", 5, 350_000)},
			"uplink: keep this UPF under 350.0 kpps (35 % of its CPU) and 99 % of packets pass within 5.00 ms"},
		{"kept at all loads", []record.SafeLoad{atLeast},
			"downlink: at 300.0 kpps (30 % of its CPU), the highest load measured, 99 % of packets pass within 1.00 ms"},
		{"without a model", []record.SafeLoad{measured},
			"uplink: keep this UPF under 200.0 kpps (20 % of its CPU) and 99 % of packets pass within 1.00 ms (as " +
				"measured; no model fits)"},
		{"the loads above it were disturbed", []record.SafeLoad{disturbed},
			"uplink: at least up to 200.0 kpps (20 % of its CPU), 99 % of packets pass within 1.00 ms; higher loads were " +
				"disturbed, measure them on a quieter machine (as measured; no model fits)"},
		{"none", []record.SafeLoad{safe(up, "", 1, 0)}, ""},
	} {
		d := &view.UPF{DUT: &record.DUT{SafeLoads: c.loads}}
		v := &view.Run{UPFs: []*view.UPF{d}, Result: &record.Result{Host: record.Host{Placement: record.Placement{DUT: []int{1}}}},
			Directions: []record.Direction{up, down}}
		var lines []string
		for _, h := range v.Headlines(d) {
			for _, l := range howMuch(v, h, unitOf(v)) {
				l.Of = string(h.Direction)
				lines = append(lines, l.String())
			}
		}
		if got := strings.Join(lines, "; "); got != c.want {
			t.Errorf("%s:\n%s, want\n%s", c.story, got, c.want)
		}
	}
}
