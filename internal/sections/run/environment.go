package run

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/block"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/sections/view"
	"github.com/upflab/upflab/internal/units"
)

// Environment lists what on the machine can bend a number.
func Environment(v *view.Run) block.Section {
	h := v.Host
	list := []block.Fact{
		{Name: "Host", Value: h.Hostname}, {Name: "OS", Value: h.OS}, {Name: "Kernel", Value: h.Kernel},
		{Name: "CPU", Value: fmt.Sprintf("%s, %d online", units.OrNone(h.CPU), h.CPUs)},
		{Name: "Memory", Value: units.Bytes(h.MemoryBytes)},
		{Name: "Virtualization", Value: h.Virtualization},
		{Name: "Placement", Value: placement(h.Placement)},
		{Name: "Engine", Value: engine(v.Engine)},
		{Name: "Stolen time", Value: units.Percent(h.StealRatio) + " % of the run"},
		{Name: "Clock source", Value: h.Clocksource}, {Name: "Governor", Value: h.Governor}, {Name: "Idle CPUs", Value: h.IdleWords()},
		{Name: "Preemption", Value: h.Preemption}, {Name: "BPF JIT", Value: h.BPFJIT},
		{Name: "Mitigations", Value: mitigations(h.Mitigations)},
		{Name: "Kernel command line", Value: h.Cmdline},
		{Name: "upflab", Value: strings.Join(strings.Fields(v.Tool.Version+" "+v.Tool.Commit+" "+v.Tool.Go), ", ")},
	}
	for i := range list {
		list[i].Value = units.OrNone(list[i].Value)
	}
	return block.Section{Title: "Environment", Only: block.Pages, Blocks: []block.Block{block.Facts{List: list}}}
}

func placement(p record.Placement) string {
	return fmt.Sprintf("%s: generator on %s, sink on %s, UPF on %s", units.OrNone(p.Kind), cpus(p.Senders()), cpus(p.Receivers()), cpus(p.DUT))
}

// cpus writes CPUs: "CPU 1,2".
func cpus(list []int) string {
	if len(list) == 0 {
		return "no CPU of its own"
	}
	return "CPU " + strings.Trim(strings.ReplaceAll(fmt.Sprint(list), " ", ","), "[]")
}

// engine is empty for results from before there was a choice.
func engine(e record.Engine) string {
	if e.Name == "" {
		return ""
	}
	return e.Name + ": " + e.Why
}

func mitigations(all map[string]string) string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		parts = append(parts, name+": "+all[name])
	}
	return strings.Join(parts, "; ")
}
