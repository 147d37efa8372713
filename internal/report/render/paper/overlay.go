package paper

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/upflab/upflab/internal/report/block"
)

// overlay is what lies below the series of a panel: shaded areas, heat, bands, rules.
type overlay struct {
	block.Panel
	x, y scale
}

// Strengths of colors that cover areas.
const (
	areaStrength, paleStrength, bandStrength = 0.14, 0.07, 0.2
)

// Plot implements plot.Plotter: it draws onto the canvas in the scales of the plot.
func (o overlay) Plot(c draw.Canvas, g *plot.Plot) {
	toX, toY := g.Transforms(&c)
	x := func(v float64) vg.Length { return min(max(toX(o.x.to(v)), c.Min.X), c.Max.X) }
	y := func(v float64) vg.Length { return min(max(toY(o.y.to(v)), c.Min.Y), c.Max.Y) }
	for _, a := range o.Areas {
		strength := areaStrength
		if a.Pale {
			strength = paleStrength
		}
		c.FillPolygon(pale(colorOf("good"), strength), rectangle(x(float64(a.From)), x(float64(a.To)), c.Min.Y, c.Max.Y))
	}
	if o.Heat != nil {
		for _, h := range o.Heat.Cells {
			c.FillPolygon(pale(colorOf("heat"), warmth(h.Share)), rectangle(x(h.X), x(h.ToX), y(h.Y), y(h.ToY)))
		}
	}
	for _, s := range o.Series {
		band(c, s, x, y)
	}
	for _, r := range o.Rules {
		o.rule(c, r, x, y)
	}
}

func rectangle(left, right, bottom, top vg.Length) []vg.Point {
	return []vg.Point{{X: left, Y: bottom}, {X: right, Y: bottom}, {X: right, Y: top}, {X: left, Y: top}}
}

// warmth is how strong a color stands for a share.
func warmth(share float64) float64 { return max(0.07, min(1, 1+math.Log10(share)/5.2)) }

func band(c draw.Canvas, s block.Series, x, y func(float64) vg.Length) {
	var outline []vg.Point
	for _, b := range s.Band {
		outline = append(outline, vg.Point{X: x(b.X), Y: y(b.High)})
	}
	for i := len(s.Band) - 1; i >= 0; i-- {
		outline = append(outline, vg.Point{X: x(s.Band[i].X), Y: y(s.Band[i].Low)})
	}
	if len(outline) > 2 {
		c.FillPolygon(pale(colorOf(s.Color), bandStrength), outline)
	}
}

func (o overlay) rule(c draw.Canvas, r block.Rule, x, y func(float64) vg.Length) {
	ideal := lineStyle("ideal", "muted")
	switch {
	case r.Diagonal:
		most := min(o.x.hi, o.y.hi)
		c.StrokeLine2(ideal, x(o.x.lo), y(o.x.lo), x(most), y(most))
	case r.Y != nil:
		c.StrokeLine2(ideal, c.Min.X, y(float64(*r.Y)), c.Max.X, y(float64(*r.Y)))
	case r.X != nil:
		c.StrokeLine2(ruleStyle(r), x(float64(*r.X)), c.Min.Y, x(float64(*r.X)), c.Max.Y)
	}
}

func ruleStyle(r block.Rule) draw.LineStyle {
	style := lineStyle("thin", "heat")
	if r.Bad {
		style = lineStyle("thin", "bad")
	}
	if r.Dashed {
		style.Dashes = []vg.Length{vg.Points(3), vg.Points(2)}
	}
	return style
}
