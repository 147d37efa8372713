package sweep

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// CPU draws the CPU of the UPF: threads, NAPI threads and softirq on its cores.
func CPU(v *view.Run) block.Section {
	return metric{id: "cpu-load", title: "CPU over load",
		y: block.Axis{Label: "CPU of the UPF, cores", Unit: block.Cores, Least: 1}, of: view.Cores,
		says: saysCPU}.figure(v)
}

func saysCPU(s view.Sweep, points []point) string {
	first, last := points[0], points[len(points)-1]
	text := ""
	if s.CPUAtLeast() {
		text = "at least "
	}
	text += fmt.Sprintf("%s cores at %s", units.Cores(first.Value), units.Rate(first.pps))
	if last.pps > first.pps {
		text += fmt.Sprintf(", %s at %s", units.Cores(last.Value), units.Rate(last.pps))
	}
	if ns := perPacket(s, points); ns > 0 {
		text += fmt.Sprintf(". Each additional packet costs %s ns below saturation", units.Nanos(ns))
	}
	if safe := s.Safe(); safe != nil && safe.CPUCores > 0 {
		text += fmt.Sprintf("; %s at the safe load of %s", units.Cores(safe.CPUCores), units.Rate(safe.PPS))
	}
	return text + "."
}

// perPacket is by how much the CPU rises with each packet/s from the lowest load to
// the highest that is carried, ns; 0: it does not, or that is the lowest.
func perPacket(s view.Sweep, points []point) float64 {
	first, until := points[0], highestCarried(s)
	ns := 0.0
	for _, p := range points {
		if p.pps > first.pps && p.pps <= until {
			ns = (p.Value - first.Value) / (p.pps - first.pps) * 1e9
		}
	}
	return ns
}

// mebi is what memory is drawn in.
const mebi = 1 << 20

// Memory draws the memory of the UPF.
func Memory(v *view.Run) block.Section {
	for _, d := range v.UPFs {
		if !d.Reference && d.Memory() > 0 {
			return metric{id: "memory-load", title: "Memory over load",
				y: block.Axis{Label: "memory of the UPF, MiB", Unit: "MiB"}, of: memory, says: saysMemory}.figure(v)
		}
	}
	return block.Section{}
}

func memory(t *record.Trial) float64 { return view.Memory(t) / mebi }

// steady is by how much memory may differ between loads and still be called the same.
const steady = 0.02

func saysMemory(s view.Sweep, points []point) string {
	least, most := points[0], points[0]
	for _, p := range points {
		if p.Value < least.Value {
			least = p
		}
		if p.Value > most.Value {
			most = p
		}
	}
	if most.Value <= least.Value*(1+steady) {
		return fmt.Sprintf("%.3g MiB at every load.", most.Value)
	}
	return fmt.Sprintf("between %.3g MiB at %s and %.3g MiB at %s.", least.Value, units.Rate(least.pps), most.Value, units.Rate(most.pps))
}
