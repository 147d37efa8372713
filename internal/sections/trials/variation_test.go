package trials

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/sections/view"
)

func withVariation() *record.Result {
	return &record.Result{DUTs: []record.DUT{{Name: "eupf", Mode: "native", Trials: []record.Trial{
		{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 500e3}, Repeat: 1, Valid: true, LimitedBy: "dut",
			Latency:  &record.Latency{P50: 7000, P50Low: 6900, P50High: 7100, P99: 12000, P99Low: 11500, P99High: 13000, P9999: 90000},
			PDV:      &record.Latency{P50: 1500, P99: 6500},
			IPDV:     &record.Latency{P50: 250, P99: 4000},
			JitterNS: 1234, Reordered: 1000, Duplicates: 3,
			LossRuns:      []record.LossRun{{Length: 1, Count: 2000}, {Length: 8, Count: 500}},
			ReorderExtent: &record.Extent{P50: 2, Max: 17, Count: 999, Unknown: 1}},
		{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{}, Repeat: 1, Valid: true, LimitedBy: "dut", PDV: &record.Latency{}}, // nothing else is known
		{Kind: record.KindLoad, Direction: "downlink", Load: record.Load{}, Repeat: 1, Valid: true, LimitedBy: "dut"},                       // of an older upflab
	}}}}
}

func TestVariation(t *testing.T) {
	s := Variation(view.New(withVariation()))
	want := "eupf:native|uplink 500k|1|7 (6.9..7.1)|12 (11.5..13)|90 (not known)|1.5|6.5|0.25|4|1.23|2,500|2.4|8|1,000|2|17|3"
	if got := row(t, s, 0); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	row(t, s, 1)
	r := withVariation()
	r.DUTs[0].Trials = r.DUTs[0].Trials[2:]
	if s := Variation(view.New(r)); len(s.Blocks) > 0 {
		t.Error("there is none, and it is shown")
	}
}
