package trends

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/history"
)

// rated is a run of a UPF with rates in the order of the directions.
func rated(path, dut, traffic string, rates ...history.Rate) *history.Run {
	return &history.Run{Path: path, Scenario: "nightly", Machine: "lab", Complete: true, DUTs: []history.DUT{
		{Label: dut, Headline: history.Headline{Metric: "rx_pps", Traffic: traffic, Rates: rates}}}}
}

func up(pps float64) history.Rate   { return history.Rate{Direction: record.Uplink, PPS: pps} }
func down(pps float64) history.Rate { return history.Rate{Direction: record.Downlink, PPS: pps} }

// TestLikeWithLike: UPFs that were measured with other sizes, sessions or directions are not ranked
// together, nor are such rates of one UPF joined.
func TestLikeWithLike(t *testing.T) {
	const small, two = "uplink 64 B", "uplink 64 B; downlink 64 B"
	h := History{Runs: []*history.Run{
		rated("a", "eupf", small, up(1e6)), rated("b", "open5gs", small, up(2e6)), rated("c", "ella", two, up(9e5), down(9e5)),
		rated("d", "ella", "uplink 1400 B", up(3e6)), rated("e", "eupf", "uplink 64 B, 1000 sessions", up(5e5)),
		rated("f", "eupf", small, up(11e5)), rated("g", "eupf", "downlink 64 B", down(7e6))}}
	var got []string
	for _, s := range Leaderboard(h).Sections {
		_, line, _ := strings.Cut(s.Title, ", ")
		for _, row := range s.Blocks[0].(block.Table).Rows {
			line += " " + row.Cells[0].Text + " " + row.Cells[1].Text
		}
		got = append(got, line)
	}
	want := []string{"downlink 64 B 1 eupf", "uplink 64 B 1 open5gs 2 eupf", "uplink 64 B, 1000 sessions 1 eupf",
		"uplink 1400 B 1 ella", "uplink 64 B; downlink 64 B 1 ella"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("boards %q, want %q", got, want)
	}
	past := h.past()
	if line := past[courseOf(h.Runs[5], h.Runs[5].DUTs[0])].until(h.Runs[5]); line == nil || len(line.Values) != 2 || line.Values[0] != 1e6 {
		t.Errorf("the line of the sixth run is %+v", line)
	}
	if line := past[courseOf(h.Runs[6], h.Runs[6].DUTs[0])].until(h.Runs[6]); line != nil {
		t.Errorf("the line of the only downlink is %+v", line)
	}
}

// TestRatesAreNamed: a rate alone says its direction.
func TestRatesAreNamed(t *testing.T) {
	both := history.Rate{Direction: record.Both, PPS: 3e6, Bounded: true}
	for want, rates := range map[string][]history.Rate{
		"1.00 Mpps / 2.00 Mpps": {up(1e6), down(2e6)}, "downlink 2.00 Mpps": {down(2e6)}, "both ≥ 3.00 Mpps": {both},
		"uplink 1.00 Mpps / both ≥ 3.00 Mpps": {up(1e6), both}, "n/a": nil,
	} {
		if got := rateCell(rates); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func rateCell(list []history.Rate) string { return rates(history.Headline{Rates: list}).Text }

// TestNotValidIsCounted: the note under a verdict says how many are not valid.
func TestNotValidIsCounted(t *testing.T) {
	if c := (History{}).verdict(&history.Run{Complete: true, Invalid: 3}); c.Text != "not valid" || c.Note != "3 not valid" {
		t.Errorf("%+v", c)
	}
}
