package trials

import (
	"cmp"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Hardware is latency by the NIC's times of reception, in addition to that of other tables.
func Hardware(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Words("Trial"), block.Number("p50", "µs"),
		block.Number("p50 by the NIC", "µs"), block.Number("p99 by the NIC", "µs"),
		block.Number("With a time", "packets"), block.Number("Without", "packets"), block.Number("Clock known to", "ns")}}
	var why string
	for _, d := range v.UPFs {
		for _, r := range d.Rows {
			for _, trial := range r.All {
				if h := trial.Hardware; h != nil {
					why = cmp.Or(why, h.Why)
					t.Rows = append(t.Rows,
						block.Row{Tone: r.Tone(),
							Cells: append([]block.Cell{r.UPF.NameCell(), block.T(r.Where() + " " + r.Name())},
								hardwareCells(trial.Latency, h)...)})
				}
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	blocks := []block.Block{t}
	if why != "" {
		blocks = append(blocks, block.Note{Label: "Not read", Text: why})
	}
	return block.Section{Title: "Latency by the NIC's time stamps", Only: block.Pages, Blocks: blocks,
		Hint: "From the intended send time, which is the software's, to the NIC that receives, by its clock. Sent " +
			"packets are not stamped by a NIC. Without a time: the NIC gave none. " +
			"No figure: no packet has one, or some came before they were due, so that the clocks do not agree. Disturbed windows are in it."}
}

func hardwareCells(software *record.Latency, h *record.HardwareLatency) []block.Cell {
	words := []string{units.OrNone(""), units.OrNone(""), units.OrNone("")}
	if software != nil {
		words[0] = units.Micros(float64(software.P50))
	}
	if h.Latency != nil {
		words[1], words[2] = units.Micros(float64(h.Latency.P50)), units.Micros(float64(h.Latency.P99))
	}
	return block.Cells(append(words, units.Count(h.With), units.Count(h.Without+h.Early), units.Count(h.ClockErrorNS))...)
}
