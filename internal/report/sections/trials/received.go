package trials

import (
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Received draws what arrived of what was sent. The table of loads has its numbers.
// Of a sweep there is a chart of throughput, with intervals and models.
func Received(v *view.Run) block.Section {
	if v.Swept() {
		return block.Section{}
	}
	f := block.Figure{ID: "received", Title: "Received against sent", Shape: block.XY, LogChoice: true, Only: block.HTML,
		Caption: "On the dotted line nothing is lost. Hollow marks were limited by something other than the UPF; crosses are not valid.",
		Legend:  []block.Sample{{Text: "no loss", Line: "ideal"}}}
	one := block.View{}
	for _, direction := range v.Directions {
		p := block.Panel{Title: string(direction), X: block.Axis{Label: "sent", Unit: block.PPS},
			Y:     block.Axis{Label: "received", Unit: block.PPS},
			Rules: []block.Rule{{Diagonal: true}}, Tip: []block.Field{{Name: "offered"}, {Name: "limited by"}, {Name: "frame loss"}}}
		p.Series = lines(v, "thin", func(d *view.UPF) (points []block.Point) {
			for _, r := range d.Rows {
				if r.Kind == record.KindLoad && r.Direction == direction {
					points = append(points, receivedPoint(r))
				}
			}
			return points
		})
		one.Panels = append(one.Panels, p)
	}
	f.Views = []block.View{one}
	return figure(f)
}

func receivedPoint(r *view.Row) block.Point {
	return block.Point{X: r.Stat(view.TxPPS).Median, Y: r.Stat(view.RxPPS).Median,
		Style: markStyle(r.Valid(), r.Bound() && r.Limit() != record.LimitNone),
		More:  []any{r.Load.String(), string(r.Limit()), r.Cell(view.Loss, units.Loss).Text}}
}

// markStyle is how a point is drawn.
func markStyle(valid, bound bool) string {
	switch {
	case !valid:
		return "cross"
	case bound:
		return "hollow"
	}
	return ""
}

// lines makes a series of each UPF that has points, the reference below the others.
func lines(v *view.Run, line string, points func(*view.UPF) []block.Point) (all []block.Series) {
	for _, d := range v.UPFs {
		if data := points(d); len(data) > 0 {
			all = append(all, block.Series{Name: d.Label, Color: d.Color(), Line: line, Mark: d.Mark(), Data: data})
		}
	}
	return all
}

// figure is a section of a figure; none where there is nothing to draw.
func figure(f block.Figure) block.Section {
	if f.Empty() {
		return block.Section{}
	}
	return block.Section{Blocks: []block.Block{f}}
}
