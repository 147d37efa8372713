package flows

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// UnderLoad is what a UE's neighbour costs it: times with the neighbour's traffic compared
// with those without, which is bufferbloat where the traffic is a bulk transfer, and the
// isolation of UEs where it is all that the neighbour can send.
func UnderLoad(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("Flow"), block.Merged("Neighbour"), block.Key("UPF"),
		block.Number("p99 alone", "µs"), block.Number("under load", "µs"),
		block.Number("×", ""), block.Number("One-way p99, uplink alone", "µs").In(block.Pages),
		block.Number("under load", "µs").In(block.Pages),
		block.Number("Downlink alone", "µs").In(block.Pages), block.Number("under load", "µs").In(block.Pages),
		block.Number("Neighbour", "Gbit/s")}}
	for _, kind := range []string{record.FlowPing, record.FlowHTTP} {
		for _, g := range v.Flows(kind) {
			if alone := g.Alone(); alone != nil {
				t.Rows = append(t.Rows, underLoad(g, alone))
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Latency under load",
		Hint: "A UE's round-trip times and complete pages, alone and while another UE of the same UPF has traffic. " +
			"× is how much longer p99 is then: 1 is perfect isolation. n6 and decap say what of it is not the UPF's.", Blocks: []block.Block{t}}
}

func underLoad(g, alone *view.FlowGroup) block.Row {
	row := block.Row{Tone: g.Tone(), Cells: []block.Cell{block.T(alone.Name()), block.T(view.BesideName(g.Beside)), g.UPF.NameCell()}}
	total := timeOf(rtt, p99)
	times := timesCell(g.Mean(total) / alone.Mean(total))
	if !alone.Valid() || !g.Valid() {
		row.Tone, times.Note = block.Bad, "not valid"
	}
	row.Cells = append(row.Cells, alone.Cell(total, units.Micros), g.Cell(total, units.Micros), times)
	for _, d := range []record.Direction{record.Uplink, record.Downlink} {
		of := way(d, oneWayTime(p99))
		row.Cells = append(row.Cells, alone.Cell(of, units.Micros), g.Cell(of, units.Micros))
	}
	row.Cells = append(row.Cells, g.Cell(positive(func(f *record.AppFlow) float64 { return f.BesideBPS }), units.Gbps))
	return row
}

// timesCell writes how many times as much something is.
func timesCell(ratio float64) block.Cell {
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return block.T(units.None)
	}
	return block.T(units.Number(ratio, "%.1f"))
}
