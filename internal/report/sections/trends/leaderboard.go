package trends

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/results/history"
)

// Leaderboard is the newest result of each UPF, by scenario, machine and traffic: only what was
// measured in one way on one machine is ranked.
func Leaderboard(h History) block.Document {
	d := block.Document{Title: "Leaderboard", Meta: h.meta(), Maker: "upflab"}
	past := h.past()
	for _, b := range h.boards() {
		d.Sections = append(d.Sections, b.section(h, past))
	}
	if len(d.Sections) == 0 {
		d.Sections = []block.Section{{Blocks: []block.Block{block.Note{Text: "No rate of a UPF was measured in this folder yet."}}}}
	}
	return d
}

// entry is a UPF's newest run of a board.
type entry struct {
	run *history.Run
	dut history.DUT
}

// total is the sum of the rates of both directions. A board's entries have the same directions.
func (e entry) total() (pps float64) {
	for _, r := range e.dut.Headline.Rates {
		pps += r.PPS
	}
	return pps
}

// board is what can be ranked: one scenario, machine, kind of rate and traffic.
type board struct {
	scenario, machine string
	entries           []entry
}

func (h History) boards() (list []*board) {
	boards, seen := map[likeness]*board{}, map[coursed]bool{}
	for _, r := range slices.Backward(h.Runs) {
		for _, d := range r.DUTs {
			one := courseOf(r, d)
			if d.Reference || len(d.Headline.Rates) == 0 || seen[one] {
				continue
			}
			seen[one] = true
			b := boards[one.likeness]
			if b == nil {
				b = &board{scenario: r.Scenario, machine: r.Machine}
				boards[one.likeness] = b
				list = append(list, b)
			}
			b.entries = append(b.entries, entry{r, d})
		}
	}
	for _, b := range list {
		slices.SortStableFunc(b.entries, func(a, c entry) int { return cmp.Compare(c.total(), a.total()) })
	}
	return list
}

func (b *board) section(h History, past map[coursed]*course) block.Section {
	first := b.entries[0].dut.Headline
	metric := first.Metric
	t := block.Table{Columns: []block.Column{block.Number("", ""), block.Words("UPF"), block.Number("Rate", "uplink / downlink"),
		block.Number("Frame loss", "of paced loads"), block.Number("Latency p99", ""), block.Words("Rates so far"),
		block.Words("Verdict"), block.Words("Measured")}}
	for i, e := range b.entries {
		place := fmt.Sprint(i + 1)
		if metric == "" {
			place = ""
		}
		t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{block.T(place),
			{Text: block.Printable(e.dut.Label), Note: block.Printable(e.dut.Version)},
			rates(e.dut.Headline), loss(e.dut.Headline), delay(e.dut.Headline), {Spark: past[courseOf(e.run, e.dut)].until(e.run)},
			h.verdict(e.run), h.runCell(e.run)}})
	}
	hint := "By the sum of the rates of both directions. ≥: something other than the UPF limited it, so the UPF may belong higher."
	if metric == "" {
		hint = "Only paced loads were measured, so there is no order: a rate is the highest that arrived, and no load was higher than what was offered."
	}
	title := b.scenario + " on " + b.machine
	if metric != "" {
		title += ": " + comparison.MetricTitle(metric)
	}
	if first.Traffic != "" {
		title += ", " + first.Traffic
	}
	return block.Section{Title: block.Printable(title), Hint: hint, Blocks: []block.Block{t}}
}
