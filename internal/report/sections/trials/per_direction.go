package trials

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// PerDirection is the directions of trials of both at once: what each did while the
// other was under way.
func PerDirection(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("Trial"), block.Merged("UPF"), block.Words("Direction"), block.Number("Tx", "kpps"),
		block.Number("Rx", "kpps"), block.Number("Rx", "Gbit/s").In(block.Pages), block.Number("Frame loss", ""),
		block.Number("p50", "µs"), block.Number("p99", "µs"),
		block.Number("p99.9", "µs"), block.Number("Reordered", "").In(block.Pages),
		block.Number("Duplicates", "").In(block.Pages), block.Number("Wrong", "").In(block.Pages)}}
	for _, kind := range []record.Kind{record.KindLoad, record.KindLatency} {
		for _, r := range v.AllRows(kind, record.Both) {
			for _, direction := range r.Flows() {
				t.Rows = append(t.Rows, flowRow(r, direction))
			}
		}
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Both directions at once, per direction",
		Hint:   "What each direction did while the other was under way." + repeatHint(v),
		Blocks: []block.Block{t}}
}

func flowRow(r *view.Row, direction record.Direction) block.Row {
	of := func(figure func(*record.Flow) float64, write units.Writer) block.Cell {
		return r.Flow(direction, figure).Cell(write)
	}
	latency := func(figure func(*record.Latency) float64) block.Cell {
		return of(func(f *record.Flow) float64 { return view.OfLatency(f.Latency, figure) }, units.Micros)
	}
	return block.Row{Tone: r.UPF.Tone(), Cells: []block.Cell{block.T(r.Name()), r.UPF.NameCell(), block.T(string(direction)),
		of(func(f *record.Flow) float64 { return f.TxPPS }, units.Kpps),
		of(func(f *record.Flow) float64 { return f.RxPPS }, units.Kpps),
		of(func(f *record.Flow) float64 { return f.RxL2bps }, units.Gbps),
		of(func(f *record.Flow) float64 { return f.FrameLossRatio }, units.Loss),
		latency(view.P50), latency(view.P99), latency(view.P999),
		of(func(f *record.Flow) float64 { return float64(f.Reordered) }, units.Nanos),
		of(func(f *record.Flow) float64 { return float64(f.Duplicates) }, units.Nanos),
		of(func(f *record.Flow) float64 { return float64(f.Wrong) }, units.Nanos)}}
}
