package trials

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// The caption counts the loads at which p99 is a lower bound, that at which disturbances may be in
// it, too, among them.
func TestLatencyByLoadCountsBounds(t *testing.T) {
	d := record.DUT{Name: "eupf", Status: record.StatusOK}
	for i, l := range []record.Latency{{}, {Skipped: 5}, {Skipped: 5, UpperBound: true}, {UpperBound: true}} {
		l.Count, l.P50, l.P99 = 1000, 20e3, 600e3
		pps := float64(i+1) * 1e5
		d.Trials = append(d.Trials, record.Trial{
			Kind: record.KindLatency, Direction: record.Uplink, Load: record.Load{PPS: pps}, Repeat: 1,
			Traffic: record.Traffic{Latency: &l, TxPPS: pps, RxPPS: pps}, Judgement: record.Judgement{Valid: true},
		})
	}
	s := LatencyByLoad(view.New(&record.Result{DUTs: []record.DUT{d}}))
	if len(s.Blocks) != 1 {
		t.Fatalf("%d blocks", len(s.Blocks))
	}
	caption := s.Blocks[0].(block.Figure).Views[0].Caption
	for _, want := range []string{"At 2 of 4 loads latency is at most what is shown (≤ or ~ in the tables)",
		"At 2 of 4 loads p99 is at least what is shown (≥ or ~ in the tables)"} {
		if !strings.Contains(caption, want) {
			t.Errorf("%q is not in %q", want, caption)
		}
	}
}
