package trials

import (
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// modelsOf are the models of the run's size.
func modelsOf(v *view.Run, d *view.UPF) (list []record.Model) {
	for _, m := range d.Models {
		if m.Class == "" && (v.Size == "" || m.Size == v.Size) {
			list = append(list, m)
		}
	}
	return list
}

// Models lists the queueing models, and the safe load by the chosen one.
func Models(v *view.Run) block.Section {
	s := block.Section{Title: "Queueing models",
		Hint: "Fitted to mean, p95, p99 and loss over load. The error is that of p99 at loads that were left out " +
			"of the fit. " +
			"µ is the highest rate served, K the room with the packet in service."}
	if t := modelTable(v); len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t)
	}
	if t := safeTable(v); len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks,
			block.Section{Title: "Safe load",
				Hint: "The highest load that keeps the target, by the chosen model, with its 95 % interval; as " +
					"measured, up to the next load, which does not keep it.", Blocks: []block.Block{t}})
	}
	return s
}

func modelTable(v *view.Run) block.Table {
	t := block.Table{Columns: []block.Column{block.Merged("Direction"), block.Merged("UPF"), block.Key("Model"),
		block.Number("µ", "kpps"), block.Number("K", "packets"),
		block.Number("Error of p99", "%"), block.Number("AICc", ""), block.Words("Verdict")}}
	for _, direction := range v.Directions {
		for _, d := range v.UPFs {
			for _, m := range modelsOf(v, d) {
				if m.Direction == direction && m.AICc != nil {
					t.Rows = append(t.Rows, modelRow(d, m))
				}
			}
		}
	}
	return t
}

func modelRow(d *view.UPF, m record.Model) block.Row {
	queue := units.None
	if m.QueuePackets > 0 {
		queue = units.Number(m.QueuePackets, "%.0f")
	}
	wrong := units.None
	if m.P99ErrorRatio != nil {
		wrong = units.Number(*m.P99ErrorRatio*100, "%.1f")
	}
	row := block.Row{Cells: []block.Cell{block.T(string(m.Direction)), d.NameCell(), block.T(m.Name),
		block.T(units.Kpps(m.MuPPS)), block.T(queue),
		block.T(wrong), block.T(units.Number(*m.AICc, "%.1f")), {Text: "accepted"}}}
	switch {
	case m.Chosen:
		row.Cells[7] = block.Cell{Text: "chosen", Tone: block.Good}
	case m.Rejected != "":
		row.Cells[7], row.Tone = block.T("rejected: "+m.Rejected), block.Muted
	}
	return row
}

func safeTable(v *view.Run) block.Table {
	t := block.Table{Columns: []block.Column{block.Merged("Direction"), block.Merged("UPF"), block.Key("Target"),
		block.Number("Safe load", "kpps"),
		block.Number("CPU there", "cores"), block.Prose("")}}
	for _, direction := range v.Directions {
		for _, d := range v.UPFs {
			for _, s := range d.SafeLoads {
				if s.Class == "" && s.Direction == direction && (v.Size == "" || s.Size == v.Size) {
					t.Rows = append(t.Rows, safeRow(d, s))
				}
			}
		}
	}
	return t
}

func safeRow(d *view.UPF, s record.SafeLoad) block.Row {
	load := block.Cell{Text: units.Kpps(s.PPS), Range: "of " + units.Kpps(s.LowPPS) + ".." + units.Kpps(s.HighPPS)}
	switch {
	case s.PPS <= 0:
		load = block.T(units.None)
	case s.AtLeast || s.Disturbed:
		load = block.T("≥ " + units.Kpps(s.PPS))
	}
	if s.Disturbed {
		s.Why = strings.TrimPrefix(s.Why+"; higher loads were disturbed", "; ")
	}
	cores := units.None
	if s.CPUCores > 0 {
		cores = view.AtLeast(record.MostlyCPUAtLeast(pointers(d.Trials)), units.Cores(s.CPUCores))
	}
	return block.Row{Cells: []block.Cell{block.T(string(s.Direction)), d.NameCell(),
		block.T(view.TargetText(s.Target)), load, block.T(cores), block.T(s.Why)}}
}

func pointers(trials []record.Trial) (list []*record.Trial) {
	for i := range trials {
		list = append(list, &trials[i])
	}
	return list
}
