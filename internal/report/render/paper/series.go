package paper

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/upflab/upflab/internal/report/block"
)

// series is one line or set of points.
type series struct {
	block.Series
	x, y scale
}

// Plot implements plot.Plotter: it draws onto the canvas in the scales of the plot.
func (s series) Plot(c draw.Canvas, g *plot.Plot) {
	toX, toY := g.Transforms(&c)
	at := func(x, y float64) vg.Point { return vg.Point{X: toX(s.x.to(x)), Y: toY(s.y.to(y))} }
	if s.Line != "" {
		for _, part := range s.parts(at) {
			c.StrokeLines(lineStyle(s.Line, s.Color), c.ClipLinesXY(part)...)
		}
	}
	whisker := draw.LineStyle{Color: colorOf(s.Color), Width: vg.Points(0.8)}
	const half = 2 // points
	for _, w := range s.Whiskers {
		low, high := at(w.X, w.Low), at(w.X, w.High)
		c.StrokeLines(whisker, []vg.Point{low, high}, []vg.Point{{X: low.X - half, Y: low.Y}, {X: low.X + half, Y: low.Y}},
			[]vg.Point{{X: high.X - half, Y: high.Y}, {X: high.X + half, Y: high.Y}})
	}
	if s.Mark == "" {
		return
	}
	for _, p := range s.Data {
		if !math.IsNaN(p.Y) {
			c.DrawGlyph(glyph(s.Mark, p.Style, s.Color), at(p.X, p.Y))
		}
	}
}

// parts are the pieces of the line between gaps.
func (s series) parts(at func(x, y float64) vg.Point) (list [][]vg.Point) {
	var part []vg.Point
	for _, p := range s.Data {
		if math.IsNaN(p.Y) {
			list, part = append(list, part), nil
			continue
		}
		part = append(part, at(p.X, p.Y))
	}
	return append(list, part)
}
