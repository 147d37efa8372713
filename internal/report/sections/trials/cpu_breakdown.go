package trials

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// CPUBreakdown is the parts of which a UPF's CPU time is the sum.
func CPUBreakdown(v *view.Run) block.Section {
	parts := v.CPUParts()
	if len(parts) == 0 {
		return block.Section{}
	}
	s := block.Section{Title: "CPU of the UPF, by part", Only: block.Pages,
		Hint: "Cores, 1 being one core fully busy. \"Its cores busy\" counts all users of them." + repeatHint(v)}
	s.Blocks = append(s.Blocks, block.Section{Blocks: tables(v, record.KindLoad, cpuColumns(parts))},
		block.Section{Title: "Latency trials", Fold: true, Blocks: tables(v, record.KindLatency, cpuColumns(parts))})
	return s
}

func cpuColumns(parts []string) []column {
	columns := []column{loadColumn(), upfColumn()}
	for _, name := range parts {
		columns = append(columns, cell(name, "", view.CPUPart(name), units.Cores))
	}
	return slices.Concat(columns,
		[]column{cpuOf("Together", "", view.Cores, units.Cores), cell("Its cores busy", "%", view.CoreBusy, units.Percent),
			cpuOf("CPU", "ns a packet", view.PacketNS, units.Nanos), cell("BPF program", "ns a packet", view.ProgramNS, units.Nanos),
			cell("Memory", "MiB", mebibytes, oneDigit)})
}
