package searches

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Bursts is the longest bursts without loss, and the buffers behind them (RFC 9004).
func Bursts(v *view.Run) block.Section {
	found := v.OtherSearches(record.MethodBackToBack)
	if len(found) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Words("Direction"),
		block.Number("Longest burst", "packets"), block.Number("Range", ""),
		block.Number("Searches", ""), block.Number("Sent at", "kpps"),
		block.Number("Forwards", "kpps").In(block.Pages), block.Number("Implied buffer", "µs").In(block.Pages),
		block.Number("Corrected buffer", "µs").In(block.Pages), block.Number("Buffer", "packets"), block.Words("Limited by")}}
	for _, s := range found {
		t.Rows = append(t.Rows, burstRow(s))
	}
	return block.Section{Title: "Back-to-back frames",
		Hint: "The longest burst without loss, on average over the searches, and the buffer behind it: what " +
			"was sent less " +
			"what the UPF forwards meanwhile. Times are those of the burst as it was sent (RFC 9004 clause 6.4).",
		Blocks: []block.Block{t, circumstances(found)}}
}

func burstRow(s *view.Search) block.Row {
	row := block.Row{Tone: s.UPF.Tone()}
	b := s.Bursts
	if b == nil {
		b = &record.Bursts{}
	}
	cells := block.Cells(units.Number(b.Average, "%.1f"), fmt.Sprintf("%d..%d", b.Min, b.Max),
		fmt.Sprint(len(b.Longest)), units.Kpps(b.SentPPS),
		units.Kpps(b.ThroughputPPS), units.Micros(b.ImpliedS*1e9), units.Micros(b.CorrectedS*1e9), units.Number(b.BufferPackets, "%.1f"))
	if s.Bursts == nil || !s.Valid {
		row.Tone = block.Bad
		span := units.None
		if len(b.Longest) > 0 {
			span = fmt.Sprint(b.Longest)
		}
		cells = block.Cells("not valid", span, fmt.Sprint(len(b.Longest)), units.None, units.None, units.None, units.None, units.None)
		cells[0].Tone = block.Bad
	}
	row.Cells = append([]block.Cell{{Text: s.Name(), Color: s.UPF.Color()}, block.T(string(s.Direction))}, cells...)
	row.Cells = append(row.Cells, block.Cell{Text: string(s.Limit()), Tone: view.LimitTone(s.LimitedBy)})
	return row
}
