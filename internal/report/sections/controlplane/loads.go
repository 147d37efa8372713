package controlplane

import (
	"fmt"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Loads are answer latency over the load of the mix.
func Loads(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Merged("Arrivals"), block.Key("Load"),
		block.Number("Rate", "/s"), block.Number("Sent", ""), block.Number("Refused", ""),
		block.Number("Not answered", ""), block.Number("p50", "µs"), block.Number("p99", "µs"),
		block.Number("p99.9", "µs"), block.Number("CPU", "cores")}}
	t.Rows = rows(v, func(c *record.ControlPlane) []record.ProcedureLoad { return c.Loads },
		func(d *view.UPF, l record.ProcedureLoad) []block.Cell {
			p50, p99, p999 := units.None, units.None, units.None
			if l.Latency != nil {
				p50, p99, p999 = units.Micros(float64(l.Latency.P50)), units.Micros(float64(l.Latency.P99)), units.Micros(float64(l.Latency.P999))
			}
			return []block.Cell{d.NameCell(), block.T(l.Arrivals), block.T(fmt.Sprintf("%.0f %%", 100*l.Share)),
				block.T(fmt.Sprintf("%.0f", l.PerS)), block.T(units.Count(l.Sent)),
				block.T(units.Count(l.Refused)), block.T(units.Count(l.Unanswered)), block.T(p50), block.T(p99),
				block.T(p999), block.T(units.Cores(l.CPU))}
		})
	s := section("Answer latency over load",
		"The mix of procedures at shares of its highest rate. Latency from when a procedure was due, so that what "+
			"waits for a busy UPF is in it.", t)
	if len(s.Blocks) > 0 {
		s.Blocks = append(s.Blocks, parts(v))
	}
	return s
}

// parts are the procedures of the mix, at its half load or the nearest to it.
func parts(v *view.Run) block.Table {
	t := block.Table{Title: "The procedures of the mix, at about half of its highest rate",
		Columns: []block.Column{block.Merged("UPF"), block.Key("Procedure"), block.Number("Sent", ""),
			block.Number("Done", ""), block.Number("p50", "µs"), block.Number("p99", "µs")}}
	for _, d := range v.UPFs {
		if d.ControlPlane == nil {
			continue
		}
		var half *record.ProcedureLoad
		for i := range d.ControlPlane.Loads {
			if l := &d.ControlPlane.Loads[i]; half == nil || off(l) < off(half) {
				half = l
			}
		}
		if half == nil {
			continue
		}
		for _, p := range half.Parts {
			t.Rows = append(t.Rows,
				block.Row{Cells: []block.Cell{d.NameCell(), block.T(p.Procedure), block.T(units.Count(p.Sent)),
					block.T(units.Count(p.Done)),
					block.T(units.Micros(float64(p.P50NS))), block.T(units.Micros(float64(p.P99NS)))}})
		}
	}
	return t
}

func off(l *record.ProcedureLoad) float64 { return max(l.Share-0.5, 0.5-l.Share) }

// Capacity is sessions until that ended, and the tear-down.
func Capacity(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Key("UPF"), block.Number("Sessions", ""), block.Words("Ended"),
		block.Number("Configured for", ""), block.Number("Establishment", "/s"),
		block.Number("Memory", "bytes/session"), block.Number("Last step slower", "times"),
		block.Number("Tear-down", "/s"), block.Number("Torn down", ""), block.Prose("Why").In(block.Pages)}}
	for _, d := range v.UPFs {
		if d.ControlPlane == nil || d.ControlPlane.Capacity == nil {
			continue
		}
		x := d.ControlPlane.Capacity
		ended := block.Cell{Text: endings[x.Ended]}
		if x.Ended == record.CapacityDied || x.Ended == record.CapacitySilent {
			ended.Tone = block.Bad
		}
		memory := units.None
		if x.BytesPerSession > 0 {
			memory = fmt.Sprintf("%.0f", x.BytesPerSession)
		}
		t.Rows = append(t.Rows,
			block.Row{Cells: []block.Cell{d.NameCell(),
				block.T(view.AtLeast(x.Ended == record.CapacityBound, fmt.Sprint(x.Sessions))), ended,
				block.T(fmt.Sprint(x.Room)),
				block.T(fmt.Sprintf("%.0f", x.EstablishPerS)), block.T(memory), block.T(fmt.Sprintf("%.2f", x.Slowdown)),
				block.T(fmt.Sprintf("%.0f", x.TearDownPerS)),
				block.T(fmt.Sprint(x.TornDown)), block.T(block.Printable(why(x)))}})
	}
	s := section("Sessions",
		"Established as fast as answers come, until the UPF refuses, dies, or the bound of the scenario is "+
			"reached; then deleted likewise "+
			"(table capacity, establishment rate and tear-down rate as RFC 9693 has them for NAT). Memory: resident "+
			"memory and BPF maps, which a UPF may take whole at its start.", t)
	if len(s.Blocks) > 0 {
		s.Blocks = append(s.Blocks, capacitySteps(v))
	}
	return s
}

var endings = map[string]string{record.CapacityBound: "at the bound", record.CapacityRefused: "refused",
	record.CapacitySilent: "not answered", record.CapacityDied: "died",
	record.CapacityTime: "out of time"}

func why(x *record.SessionCapacity) string {
	if x.Why != "" && x.TearDownWhy != "" {
		return x.Why + "; " + x.TearDownWhy
	}
	return x.Why + x.TearDownWhy
}

func capacitySteps(v *view.Run) block.Table {
	t := block.Table{Title: "Establishing, step by step", Only: block.Pages,
		Columns: []block.Column{block.Merged("UPF"), block.Number("Sessions", ""), block.Number("Rate", "/s"),
			block.Number("p99", "µs"), block.Number("Memory", "MiB")}}
	t.Rows = rows(v, func(c *record.ControlPlane) []record.CapacityStep {
		if c.Capacity == nil {
			return nil
		}
		return c.Capacity.Steps
	}, func(d *view.UPF, x record.CapacityStep) []block.Cell {
		return []block.Cell{d.NameCell(), block.T(fmt.Sprint(x.Sessions)), block.T(fmt.Sprintf("%.0f", x.PerS)),
			block.T(units.Micros(float64(x.P99NS))),
			block.T(fmt.Sprintf("%.1f", float64(x.MemoryBytes)/(1<<20)))}
	})
	return t
}
