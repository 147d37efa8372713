package report

import (
	"slices"

	"github.com/upflab/upflab/internal/record"
)

// partNames lists the parts of the DUTs' CPU time that some trial has.
func (v view) partNames() []string {
	var names []string
	eachTrial(v.Result, func(t *record.Trial) {
		for _, p := range t.CPU.DUTParts {
			if !slices.Contains(names, p.Name) {
				names = append(names, p.Name)
			}
		}
	})
	return names
}

// Part is one part of the DUT's CPU time, cores.
func (r row) Part(name string) cell {
	return r.group.stat(func(t *record.Trial) float64 {
		for _, p := range t.CPU.DUTParts {
			if p.Name == name {
				return p.Cores
			}
		}
		return orNaN(0)
	}).cell(cores)
}

// PerPacket is the DUT's CPU time for a packet that it forwarded, ns.
func (r row) PerPacket() cell { return r.group.stat(cpuNS).cell(nanos) }

// Program is the part of it that BPF programs took, ns.
func (r row) Program() cell { return r.group.stat(programNS).cell(nanos) }

// Memory is what the DUT took.
func (r row) Memory() cell {
	return r.group.stat(func(t *record.Trial) float64 { return orNaN(float64(t.MemoryBytes)) }).cell(memory)
}

// memory writes bytes.
func memory(bytes float64) string {
	if text := number(bytes, "%.0f"); text == notMeasured {
		return text
	}
	return size(uint64(bytes))
}
