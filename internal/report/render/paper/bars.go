package paper

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/upflab/upflab/internal/report/block"
)

// columns are upright bars in groups by category.
func (p picture) columns() drawing {
	var values []float64
	for _, s := range p.panel.Series {
		for _, q := range s.Data {
			values = append(values, q.Y)
		}
	}
	names := p.panel.X.Categories
	x := scale{title: p.panel.X.Label, to: func(v float64) float64 { return v }, lo: -0.5, hi: float64(len(names)) - 0.5}
	for i, name := range names {
		x.mark(float64(i), name)
	}
	y := newScale(p.panel.Y, append(values, 0), ticksY)
	g := newPlot(x, y)
	g.Add(columns{p.panel.Series, y})
	list := []entry{}
	for _, s := range p.panel.Series {
		list = append(list, entry{text: seriesName(s), filled: colorOf(s.Color)})
	}
	return drawing{g, list, height}
}

type columns struct {
	series []block.Series
	y      scale
}

// Plot implements plot.Plotter: it draws onto the canvas in the scales of the plot.
func (q columns) Plot(c draw.Canvas, g *plot.Plot) {
	toX, toY := g.Transforms(&c)
	each := 0.8 / float64(len(q.series))
	for n, s := range q.series {
		for _, d := range s.Data {
			left := d.X - 0.4 + float64(n)*each
			fill := colorOf(s.Color)
			if d.Style == "pale" {
				fill = pale(fill, 0.4)
			}
			c.FillPolygon(fill, rectangle(toX(left+0.04), toX(left+each-0.04), toY(0), toY(q.y.to(d.Y))))
		}
	}
}

// barHeight is that of one level bar with its text.
const barHeight = 30

// bars lie, each with its name and value above it.
func (p picture) bars() drawing {
	var known []block.Series
	most := 0.0
	for _, s := range p.panel.Series {
		if s.Bar == nil {
			continue
		}
		known = append(known, s)
		most = max(most, float64(s.Bar.Value))
		if s.Bar.High != nil {
			most = max(most, float64(*s.Bar.High))
		}
	}
	y := scale{to: func(v float64) float64 { return v }, lo: -float64(len(known)), hi: 0}
	g := newPlot(newScale(p.panel.X, []float64{0, most}, ticksX), y)
	g.Y.LineStyle.Width = 0
	g.Add(level{known})
	return drawing{g, nil, vg.Length(len(known))*barHeight + 30}
}

type level struct{ series []block.Series }

// Plot implements plot.Plotter: it draws onto the canvas in the scales of the plot.
func (q level) Plot(c draw.Canvas, g *plot.Plot) {
	toX, toY := g.Transforms(&c)
	for i, s := range q.series {
		low, high, b := toY(-float64(i)-0.92), toY(-float64(i)-0.55), s.Bar
		fill := colorOf(s.Color)
		if b.Hatched {
			fill = pale(fill, 0.35)
		}
		c.FillPolygon(fill, rectangle(toX(0), toX(float64(b.Value)), low, high))
		c.FillText(letters(tickSize), vg.Point{X: c.Min.X + 2, Y: high + 2}, s.Name+": "+b.Text+note(b.Note))
		if b.Low == nil || b.High == nil || math.IsNaN(float64(*b.Low)) {
			continue
		}
		middle, from, to := (low+high)/2, toX(float64(*b.Low)), toX(float64(*b.High))
		c.StrokeLines(draw.LineStyle{Color: color.Black, Width: vg.Points(0.8)}, []vg.Point{{X: from, Y: middle}, {X: to, Y: middle}},
			[]vg.Point{{X: from, Y: middle - 2}, {X: from, Y: middle + 2}}, []vg.Point{{X: to, Y: middle - 2}, {X: to, Y: middle + 2}})
	}
}

func note(text string) string {
	if text == "" {
		return ""
	}
	return ", " + text
}
