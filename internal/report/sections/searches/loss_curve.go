package searches

import (
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// LossCurve is frame loss over load (RFC 2544 clause 26.3): a chart and its table.
func LossCurve(v *view.Run) block.Section {
	found := v.OtherSearches(record.MethodLossCurve)
	if len(found) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Merged("Direction"), block.Number("Load", ""),
		block.Number("Offered", "kpps"),
		block.Number("Frame loss", ""), block.Words("Limited by")}}
	for _, s := range found {
		for _, p := range s.Curve {
			t.Rows = append(t.Rows,
				block.Row{Tone: s.UPF.Tone(),
					Cells: append([]block.Cell{{Text: s.Name(), Color: s.UPF.Color()}, block.T(string(s.Direction))},
						curvePoint(p)...)})
		}
	}
	return block.Section{Title: "Frame loss over load",
		Hint: "From the highest load down in steps; the load is in % of the highest. ≤: the bench did not " +
			"reach the load.",
		Blocks: []block.Block{lossFigure(v, found), t, circumstances(found)}}
}

func curvePoint(p record.CurvePoint) []block.Cell {
	loss := units.Loss(p.LossRatio)
	if p.Bench {
		loss = "≤ " + loss
	}
	return []block.Cell{block.T(units.Number(100*p.Ratio, "%.3g") + " %"), block.T(units.Kpps(p.PPS)), block.T(loss),
		{Text: units.OrNone(string(p.LimitedBy)), Tone: view.LimitTone(p.LimitedBy)}}
}

func lossFigure(v *view.Run, found []*view.Search) block.Figure {
	f := block.Figure{ID: "loss", Title: "Frame loss over load", Shape: block.XY, Only: block.HTML,
		Caption: "RFC 2544 clause 26.3, from the highest load down. Hollow marks: the bench did not reach the load, and the UPF loses less."}
	one := block.View{}
	for _, direction := range v.Directions {
		p := block.Panel{Title: string(direction), X: block.Axis{Label: "offered load", Unit: block.PPS},
			Y:   block.Axis{Label: "frame loss", Unit: block.Ratio, Least: 0.01},
			Tip: []block.Field{{Name: "limited by"}}}
		for _, s := range found {
			if s.Direction == direction {
				p.Series = append(p.Series, lossSeries(s))
			}
		}
		one.Panels = append(one.Panels, p)
	}
	f.Views = []block.View{one}
	return f
}

func lossSeries(s *view.Search) block.Series {
	line := block.Series{Name: s.UPF.Label, Color: s.UPF.Color(), Line: "thin", Mark: s.UPF.Mark()}
	for _, c := range s.Curve {
		q := block.Point{X: math.Round(c.PPS), Y: c.LossRatio, More: []any{units.OrNone(string(c.LimitedBy))}}
		if c.Bench {
			q.Style = "hollow"
		}
		line.Data = append(line.Data, q)
	}
	return line
}

// circumstances lists how each search was made, and why it is not valid.
func circumstances(found []*view.Search) block.List {
	var list block.List
	for _, s := range found {
		item := block.Item{Text: s.About()}
		if why := s.Why(); why != "" {
			item.Sub = []block.Item{{Label: "not valid", Text: why}}
		}
		list.Items = append(list.Items, item)
	}
	return list
}
