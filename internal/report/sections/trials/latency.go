package trials

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Latency is the latency trials: at a low load, and at shares of what searches found.
func Latency(v *view.Run) block.Section {
	hint := "One way, from the intended send time."
	if v.Searched {
		hint += " NDR is each UPF's own non-drop rate."
	}
	return block.Section{Title: "Latency", Hint: hint + repeatHint(v) + wireHint(v), Blocks: tables(v, record.KindLatency, latencyColumns(v))}
}

func latencyColumns(v *view.Run) []column {
	return slices.Concat(
		[]column{loadColumn(), upfColumn()},
		only(block.Pages, cell("Offered", "kpps", view.Offered, units.Kpps),
			column{block.Number("mean", "µs"), (*view.Row).MeanLatency}, micros("max", view.LatMax),
			micros("min", view.LatMin)),
		only(block.Text, cell("Tx", "kpps", view.TxPPS, units.Kpps), received("kpps", view.RxPPS, units.Kpps),
			received("Gbit/s", view.RxBPS, units.Gbps)),
		[]column{cell("Frame loss", "", view.Loss, units.Loss)},
		only(block.Text, cpuOf("CPU", "cores", view.Cores, units.Cores)),
		[]column{micros("p50", view.P50), micros("p99", view.P99), micros("p99.9", view.P999)},
		only(block.Pages, micros("p99.99", view.P9999)),
		wireColumn(v), []column{limitColumn(v)})
}
