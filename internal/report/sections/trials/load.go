package trials

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Load is what arrived of each offered load, and what the UPF took for it.
func Load(v *view.Run) block.Section {
	return block.Section{Title: "Load",
		Hint: "L2 rates: from the Ethernet header on, without FCS. Latency is one way, from the intended send " +
			"time; at max the queues " +
			"in front of the UPF are full." + repeatHint(v) + wireHint(v), Blocks: tables(v, record.KindLoad, loadColumns(v))}
}

func loadColumns(v *view.Run) []column {
	return slices.Concat(
		[]column{loadColumn(), upfColumn(), cell("Tx", "kpps", view.TxPPS, units.Kpps), received("kpps", view.RxPPS, units.Kpps)},
		only(block.Pages, cell("Tx", "Gbit/s", view.TxBPS, units.Gbps)),
		[]column{received("Gbit/s", view.RxBPS, units.Gbps), cell("Frame loss", "", view.Loss, units.Loss)},
		only(block.Pages, cell("Generator CPU", "%", view.Generator, units.Percent)),
		[]column{cpuOf("CPU", "cores", view.Cores, units.Cores), micros("p50", view.P50), micros("p99", view.P99), micros("p99.9", view.P999)},
		wireColumn(v), []column{limitColumn(v)})
}
