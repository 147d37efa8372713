package trials

import (
	"fmt"

	"github.com/upflab/upflab/internal/block"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/sections/view"
	"github.com/upflab/upflab/internal/units"
)

// ModelCurves draws the chosen queueing models over what was measured.
func ModelCurves(v *view.Run) block.Section {
	f := block.Figure{ID: "models", Title: "Latency by load and its queueing model", Shape: block.XY, Only: block.HTML, LogChoice: true,
		Caption: "Marks are measured, lines are the model: p99 dashed, mean solid.",
		Legend:  []block.Sample{{Text: "mean", Line: "plain"}, {Text: "p99, hollow marks", Line: "plain thin dashed"}}}
	one := block.View{}
	for _, direction := range v.Directions {
		p := block.Panel{Title: string(direction), X: block.Axis{Label: "offered load", Unit: block.PPS}, Y: block.Axis{Label: "one-way latency", Unit: block.Nanos}}
		for _, d := range v.UPFs {
			p.Series = append(p.Series, modelSeries(v, d, direction)...)
		}
		one.Panels = append(one.Panels, p)
	}
	f.Views = []block.View{one}
	return figure(f)
}

// modelSeries are the curves of a UPF's model and what they are fitted to.
func modelSeries(v *view.Run, d *view.UPF, direction record.Direction) (list []block.Series) {
	for _, m := range modelsOf(v, d) {
		if !m.Chosen || m.Direction != direction {
			continue
		}
		mean := block.Series{Name: d.Label + ", " + m.Name, Color: d.Color(), Line: "solid"}
		p99 := block.Series{Name: d.Label + ", " + m.Name, Color: d.Color(), Line: "thin dashed"}
		for _, c := range m.Curve {
			mean.Data = append(mean.Data, block.Point{X: c.LoadPPS, Y: c.MeanNS})
			p99.Data = append(p99.Data, block.Point{X: c.LoadPPS, Y: c.P99NS})
		}
		list = append(list, mean, p99, measured(d, direction, func(l *record.Latency) float64 { return l.Mean }, ""),
			measured(d, direction, func(l *record.Latency) float64 { return float64(l.P99) }, "hollow"))
	}
	return list
}

// measured are the valid trials that a model is fitted to.
func measured(d *view.UPF, direction record.Direction, of func(*record.Latency) float64, style string) block.Series {
	s := block.Series{Name: d.Label, Color: d.Color(), Mark: d.Mark()}
	for i := range d.Trials {
		t := &d.Trials[i]
		if t.Valid && t.Direction == direction && t.Latency != nil && t.TxPPS > 0 {
			s.Data = append(s.Data, block.Point{X: t.TxPPS, Y: of(t.Latency), Style: style})
		}
	}
	return s
}

// modelsOf are the models of the run's size.
func modelsOf(v *view.Run, d *view.UPF) (list []record.Model) {
	for _, m := range d.Models {
		if v.Size == "" || m.Size == v.Size {
			list = append(list, m)
		}
	}
	return list
}

// Models lists the queueing models, and the safe load by the chosen one.
func Models(v *view.Run) block.Section {
	s := block.Section{Title: "Queueing models", Hint: "Fitted to mean, p95, p99 and loss over load. The error is that of p99 at loads that were left out of the fit. " +
		"µ is the highest rate served, K the room with the packet in service."}
	if t := modelTable(v); len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, t)
	}
	if t := safeTable(v); len(t.Rows) > 0 {
		s.Blocks = append(s.Blocks, block.Section{Title: "Safe load", Hint: "The highest load that keeps the target, by the chosen model, with its 95 % interval.", Blocks: []block.Block{t}})
	}
	return s
}

func modelTable(v *view.Run) block.Table {
	t := block.Table{Columns: []block.Column{block.Merged("Direction"), block.Merged("UPF"), block.Key("Model"), block.Number("µ", "kpps"), block.Number("K", "packets"),
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
	row := block.Row{Cells: []block.Cell{block.T(string(m.Direction)), d.NameCell(), block.T(m.Name), block.T(units.Kpps(m.MuPPS)), block.T(queue),
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
	t := block.Table{Columns: []block.Column{block.Merged("Direction"), block.Merged("UPF"), block.Key("Target"), block.Number("Safe load", "kpps"),
		block.Number("CPU there", "cores"), block.Prose("")}}
	for _, direction := range v.Directions {
		for _, d := range v.UPFs {
			for _, s := range d.SafeLoads {
				if s.Direction == direction && (v.Size == "" || s.Size == v.Size) {
					t.Rows = append(t.Rows, safeRow(d, s))
				}
			}
		}
	}
	return t
}

func safeRow(d *view.UPF, s record.SafeLoad) block.Row {
	load := block.Cell{Text: units.Kpps(s.PPS), Range: units.Kpps(s.LowPPS) + ".." + units.Kpps(s.HighPPS)}
	switch {
	case s.PPS <= 0:
		load = block.T(units.None)
	case s.AtLeast:
		load = block.T("≥ " + units.Kpps(s.PPS))
	}
	cores := units.None
	if s.CPUCores > 0 {
		cores = units.Cores(s.CPUCores)
	}
	return block.Row{Cells: []block.Cell{block.T(string(s.Direction)), d.NameCell(), block.T(targetText(s.Target)), load, block.T(cores), block.T(s.Why)}}
}

// targetText names a target: "p99 ≤ 100 µs, loss ≤ 0.001 %".
func targetText(t record.LoadTarget) string {
	loss := fmt.Sprintf("loss ≤ %.3g %%", 100*t.LossRatio)
	if t.P99NS > 0 {
		return "p99 ≤ " + units.Time(t.P99NS) + ", " + loss
	}
	return loss
}
