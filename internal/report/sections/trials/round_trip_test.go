package trials

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// TestRoundTrip: round trips are shown where there is no one-way delay, and only there.
func TestRoundTrip(t *testing.T) {
	trial := record.Trial{
		Kind: record.KindLoad, Direction: record.Uplink, Load: record.Load{PPS: 1000}, Repeat: 1,
		Judgement: record.Judgement{Valid: true}, Traffic: record.Traffic{TxPackets: 1000, RxPackets: 990},
		ManyHosts: record.ManyHosts{
			RoundTrip: &record.RoundTrip{First: record.Uplink, SentBack: 60, Lost: 1, StayNS: 900,
				Latency: &record.Latency{Count: 59, Min: 8000, P50: 12_345, P99: 40_000, Max: 50_000}},
		},
	}
	with := trial
	with.Load, with.Latency = record.Load{PPS: 2000}, &record.Latency{Count: 990, P50: 6000}
	r := &record.Result{DUTs: []record.DUT{{Name: "upf", Status: record.StatusOK, Trials: []record.Trial{trial, with}}}}
	s := RoundTrip(view.New(r))
	if len(s.Blocks) != 1 {
		t.Fatalf("%d blocks", len(s.Blocks))
	}
	table := s.Blocks[0].(block.Table)
	if len(table.Rows) != 1 || table.Title != "uplink and back downlink" {
		t.Fatalf("%q, %d rows", table.Title, len(table.Rows))
	}
	want := []string{"60", "1", "8.00", "12.3", "40.0", "50.0", "0.90"}
	for i, w := range want {
		if got := table.Rows[0].Cells[2+i].Text; got != w {
			t.Errorf("%s: %q, want %q", table.Columns[2+i].Head, got, w)
		}
	}
	r.DUTs[0].Trials = r.DUTs[0].Trials[1:]
	if s := RoundTrip(view.New(r)); len(s.Blocks) > 0 {
		t.Error("shown next to a one-way delay")
	}
}
