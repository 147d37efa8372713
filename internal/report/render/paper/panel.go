package paper

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/upflab/upflab/internal/report/block"
)

// draw makes the picture.
func (p picture) draw() drawing {
	switch p.figure.Shape {
	case block.Columns:
		return p.columns()
	case block.Bars:
		return p.bars()
	}
	return p.xy()
}

// Ticks along the axes, about.
const (
	ticksX = 6
	ticksY = 5
)

func (p picture) xy() drawing {
	xs, ys := values(p.panel)
	x, y := newScale(p.panel.X, xs, ticksX), newScale(p.panel.Y, ys, ticksY)
	g := newPlot(x, y)
	g.Add(overlay{p.panel, x, y})
	for _, s := range p.panel.Series {
		g.Add(series{s, x, y})
	}
	return drawing{g, p.legend(), height}
}

// values are all that lie along the axes.
func values(q block.Panel) (xs, ys []float64) {
	for _, s := range q.Series {
		for _, d := range s.Data {
			xs, ys = append(xs, d.X), append(ys, d.Y)
		}
		for _, r := range append(append([]block.Interval{}, s.Band...), s.Whiskers...) {
			ys = append(ys, r.Low, r.High)
		}
	}
	if q.Heat != nil {
		for _, c := range q.Heat.Cells {
			xs, ys = append(xs, c.X, c.ToX), append(ys, c.Y, c.ToY)
		}
	}
	for _, r := range q.Rules {
		if r.X != nil {
			xs = append(xs, float64(*r.X))
		}
		if r.Y != nil {
			ys = append(ys, float64(*r.Y))
		}
	}
	return xs, ys
}

// newPlot is axes without anything in them.
func newPlot(x, y scale) *plot.Plot {
	g := plot.New()
	g.BackgroundColor = nil
	for _, a := range []struct {
		axis *plot.Axis
		of   scale
	}{{&g.X, x}, {&g.Y, y}} {
		a.axis.Min, a.axis.Max = a.of.lo, a.of.hi
		a.axis.Label.Text = a.of.title
		style := a.axis.Label.TextStyle
		style.Font, style.Handler = letters(labelSize).Font, letters(labelSize).Handler
		a.axis.Label.TextStyle = style
		a.axis.Tick.Marker = plot.ConstantTicks(a.of.ticks)
		style = a.axis.Tick.Label
		style.Font, style.Handler = letters(tickSize).Font, letters(tickSize).Handler
		a.axis.Tick.Label = style
		a.axis.LineStyle.Width, a.axis.Tick.LineStyle.Width = vg.Points(0.6), vg.Points(0.6)
		a.axis.Tick.Length, a.axis.Padding = vg.Points(3), 0
	}
	g.Add(grid{x, y})
	return g
}

// grid are faint lines at the ticks.
type grid struct{ x, y scale }

// Plot implements plot.Plotter: it draws onto the canvas in the scales of the plot.
func (q grid) Plot(c draw.Canvas, g *plot.Plot) {
	toX, toY := g.Transforms(&c)
	style := draw.LineStyle{Color: colorOf("grid"), Width: vg.Points(0.5)}
	for _, t := range q.x.ticks {
		c.StrokeLine2(style, toX(t.Value), c.Min.Y, toX(t.Value), c.Max.Y)
	}
	for _, t := range q.y.ticks {
		c.StrokeLine2(style, c.Min.X, toY(t.Value), c.Max.X, toY(t.Value))
	}
}
