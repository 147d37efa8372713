package history

import (
	"fmt"
	"testing"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/analysis/threshold"
	"github.com/upflab/upflab/internal/record"
)

// TestHeadlineSaysItsTraffic: rates are in the order uplink, downlink, both, whatever was measured first,
// and the directions, sizes and sessions of all that they are the highest of are with them.
func TestHeadlineSaysItsTraffic(t *testing.T) {
	trial := func(d record.Direction, payload, sessions int, pps float64) record.Trial {
		tr := night(1, 1, 1).DUTs[0].Trials[0]
		tr.Direction, tr.PacketSize, tr.Sessions, tr.RxPPS = d, record.PacketSize{Size: "imix", PayloadBytes: payload}, sessions, pps
		return tr
	}
	r := night(1, 2e6, 1)
	r.DUTs[1].Trials = []record.Trial{trial(record.Both, 64, 1, 3e6), trial(record.Downlink, 64, 10, 2e6), trial(record.Uplink, 64, 1, 1e6),
		trial(record.Downlink, 64, 1, 25e5)}
	h := headlineOf(&r.DUTs[1], compare.Readings(r))
	if len(h.Rates) != 3 || h.Rates[0] != (Rate{record.Uplink, 1e6, false}) || h.Rates[1] != (Rate{record.Downlink, 25e5, false}) ||
		h.Rates[2].Direction != record.Both {
		t.Errorf("rates %+v", h.Rates)
	}
	if want := "uplink imix; downlink imix; downlink imix, 10 sessions; both imix"; h.Traffic != want {
		t.Errorf("traffic %q, want %q", h.Traffic, want)
	}
}

// TestHeadlineMarksBounds: the latency of a list has the sign that the report gives it, of wire's, too.
func TestHeadlineMarksBounds(t *testing.T) {
	for _, c := range []struct {
		story string
		of    record.Latency
		want  string
	}{
		{"known", record.Latency{Count: 100, P50: 20e3, P99: 600e3}, ""},
		{"disturbed", record.Latency{Count: 100, P50: 20e3, P99: 600e3, UpperBound: true}, "≤ "},
		{"disturbed in its median alone", record.Latency{Count: 100, P50: 20e3, P99: 600e3, UpperBound: true, Unmoved: []string{"p99"}}, ""},
		{"packets were never sent", record.Latency{Count: 100, P50: 20e3, P99: 600e3, Skipped: 5}, "≥ "},
		{"both", record.Latency{Count: 100, P50: 20e3, P99: 600e3, Skipped: 5, UpperBound: true}, "~ "},
	} {
		for _, reference := range []bool{false, true} {
			r := night(1, 2e6, 1)
			d := &r.DUTs[1]
			d.Reference = reference
			tr := d.Trials[0]
			tr.Kind, tr.Load, tr.Latency, tr.Valid = record.KindLatency, record.Load{Kind: record.LoadRate, PPS: 1e3}, &c.of, true
			d.Trials = []record.Trial{tr}
			if h := headlineOf(d, compare.Readings(r)); h.P99 == nil || h.P99Sign != c.want {
				t.Errorf("%s, reference %v: %+v, want the sign %q", c.story, reference, h, c.want)
			}
		}
	}
}

// TestLimitsAreFew: a result with very many thresholds keeps the first of them, and is not looked through
// further.
func TestLimitsAreFew(t *testing.T) {
	r := night(1, 2e6, 1)
	limit := 1e6
	for range 100 * limitsMost {
		r.Thresholds = append(r.Thresholds, record.Threshold{Expression: "rx_pps >= 1M", DUT: "eupf:native", Figure: "rx_pps",
			Where: "uplink max", Limit: &limit})
	}
	readings := compare.Readings(r)
	if n := len(limitsOf(r, readings)); n != limitsMost {
		t.Errorf("%d limits", n)
	}
	if n := testing.AllocsPerRun(3, func() { limitsOf(r, readings) }); n > 10*limitsMost {
		t.Errorf("%.0f allocations for %d limits", n, limitsMost)
	}
}

// TestLimitsNameTheirPlace: thresholds of a run with two sizes, and with arrivals that are not constant,
// are found again on the figures that they were checked on.
func TestLimitsNameTheirPlace(t *testing.T) {
	asked, err := threshold.Parse("rx_pps >= 1M @ max")
	if err != nil {
		t.Fatal(err)
	}
	r := night(1, 4e6, 1)
	d := &r.DUTs[1]
	small, random := d.Trials[0], d.Trials[0]
	small.PacketSize = record.PacketSize{Size: "64", PayloadBytes: 64}
	random.Arrivals = &record.Arrivals{Process: "poisson"}
	for want, trials := range map[string][]record.Trial{
		"[max, 1400 B max, 64 B]":         {d.Trials[0], small},
		"[max, 1400 B, Poisson arrivals]": {random},
	} {
		d.Trials = trials
		r.Thresholds = threshold.CheckAll(r, []threshold.Threshold{asked})
		var loads []string
		for _, l := range newRun("night", r).Limits {
			loads = append(loads, l.Load)
		}
		if got := fmt.Sprint(loads); got != want {
			t.Errorf("thresholds at %q are on %s, want %s", r.Thresholds[0].Where, got, want)
		}
	}
}

// TestLimitOfAShare: a threshold at a share of another DUT's rate is found on its figure, too, which a history
// knows by the packets/s that the share came to.
func TestLimitOfAShare(t *testing.T) {
	asked, err := threshold.Parse("frame_loss_ratio <= 0.1")
	if err != nil {
		t.Fatal(err)
	}
	r := night(1, 4e6, 1)
	trial := &r.DUTs[1].Trials[0]
	trial.Load = record.Load{Kind: record.LoadShare, PPS: 5e5, Share: 0.5, Of: record.GoalNDR, OfDUT: "builtin:xdp"}
	r.Thresholds = threshold.CheckAll(r, []threshold.Threshold{asked})
	if l := newRun("night", r).Limits; len(l) != 1 || l[0].Load != "500k, 1400 B" {
		t.Errorf("the threshold at %q is on %+v, want one at 500k", r.Thresholds[0].Where, l)
	}
}
