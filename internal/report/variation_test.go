package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func withVariation() *record.Result {
	return &record.Result{DUTs: []record.DUT{{Name: "eupf", Mode: "native", Trials: []record.Trial{
		{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{PPS: 500e3}, Repeat: 1, Valid: true, LimitedBy: "dut",
			Latency:  &record.Latency{P50: 7000, P50Low: 6900, P50High: 7100, P99: 12000, P99Low: 11500, P99High: 13000, P9999: 90000, P9999Low: 80000},
			PDV:      &record.Latency{P50: 1500, P99: 6500},
			IPDV:     &record.Latency{P50: 250, P99: 4000},
			JitterNS: 1234, Reordered: 1000, Duplicates: 3,
			LossRuns:      []record.LossRun{{Length: 1, Count: 2000}, {Length: 8, Count: 500}},
			ReorderExtent: &record.Extent{P50: 2, Max: 17, Count: 999, Unknown: 1}},
		{Kind: record.KindLoad, Direction: "uplink", Load: record.Load{}, Repeat: 1, Valid: true, LimitedBy: "dut", PDV: &record.Latency{}}, // nothing else is known
		{Kind: record.KindLoad, Direction: "downlink", Load: record.Load{}, Repeat: 1, Valid: true, LimitedBy: "dut"},                       // of an older upflab
	}}}}
}

func TestVariations(t *testing.T) {
	rows := newView(withVariation()).variations()
	if len(rows) != 2 || rows[0].Name != "uplink 500k" {
		t.Fatalf("%+v", rows)
	}
	want := "7 (6.9..7.1)|12 (11.5..13)|90 (80..?)|1.5|6.5|0.25|4|1.23|2,500|2.4|8|1,000|2|17|3"
	if got := strings.Join(rows[0].Cells, "|"); got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for _, r := range rows {
		if len(r.Cells) != len(variationHeads()) {
			t.Errorf("%s: %d cells under %d heads", r.Name, len(r.Cells), len(variationHeads()))
		}
	}
}

// TestVariationIsShown in the formats that have room for it, and only where there
// is some.
func TestVariationIsShown(t *testing.T) {
	var md, html bytes.Buffer
	r := withVariation()
	if err := Markdown(&md, r); err != nil {
		t.Fatal(err)
	}
	if err := HTML(&html, r); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(md.String(), "## Delay variation") || !strings.Contains(html.String(), "<summary>Delay variation") {
		t.Error("it is missing")
	}
	r.DUTs[0].Trials = r.DUTs[0].Trials[2:]
	md.Reset()
	if err := Markdown(&md, r); err != nil || strings.Contains(md.String(), "## Delay variation") {
		t.Errorf("there is none, and it is shown: %v", err)
	}
}
