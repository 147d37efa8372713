package paper

import (
	"image/color"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/upflab/upflab/internal/report/block"
)

// entry is one of a legend: what it looks like, and its text.
type entry struct {
	text   string
	line   *draw.LineStyle
	mark   *draw.GlyphStyle
	filled color.Color
}

// legend is the series, each name once, then what else the panel shows.
func (p picture) legend() (list []entry) {
	at := map[string]int{}
	for _, s := range p.panel.Series {
		name := seriesName(s)
		i, seen := at[name]
		if !seen {
			i, at[name] = len(list), len(list)
			list = append(list, entry{})
		}
		if !seen || s.Line == "solid" {
			list[i] = sample(name, s.Line, s.Mark, "", s.Color)
		}
	}
	for _, s := range p.figure.Legend {
		list = append(list, sample(s.Text, s.Line, s.Mark, s.Style, s.Color))
	}
	return append(list, p.overlays()...)
}

// seriesName is the name of a series in the legend.
func seriesName(s block.Series) string {
	if s.Color == "ref" {
		return s.Name + " (reference)"
	}
	return s.Name
}

func sample(text, line, mark, style, name string) entry {
	e := entry{text: text}
	if line != "" {
		l := lineStyle(line, name)
		e.line = &l
	}
	if mark != "" {
		g := glyph(mark, style, name)
		e.mark = &g
	}
	return e
}

// overlays are the entries of areas, rules and heat.
func (p picture) overlays() (list []entry) {
	for _, a := range p.panel.Areas {
		if !a.Pale {
			list = append(list, entry{text: a.Text, filled: pale(colorOf("good"), areaStrength)})
		}
	}
	for _, r := range p.panel.Rules {
		switch {
		case r.Diagonal && len(p.figure.Legend) == 0:
			list = append(list, sample("no loss", "ideal", "", "", "muted"))
		case r.Text != "" && r.Y != nil:
			list = append(list, sample(r.Text, "ideal", "", "", "muted"))
		case r.Text != "":
			style := ruleStyle(r)
			list = append(list, entry{text: r.Text, line: &style})
		}
	}
	if p.panel.Heat != nil {
		for _, share := range []float64{1e-5, 1e-3, 0.1} {
			list = append(list, entry{text: strconv.FormatFloat(100*share, 'g', -1, 64) + " %", filled: pale(colorOf("heat"), warmth(share))})
		}
	}
	return list
}

// Sizes within a legend.
const (
	sampleWidth = 16
	gap         = 4
	rowHeight   = 10
)

// rows lays entries out in rows of a width.
func rows(list []entry, wide vg.Length) (all [][]entry) {
	used := wide
	for _, e := range list {
		need := sampleWidth + 2*gap + letters(tickSize).Width(e.text) + gap
		if used+need > wide {
			all, used = append(all, nil), 0
		}
		used += need
		all[len(all)-1] = append(all[len(all)-1], e)
	}
	return all
}

// drawLegend draws rows from the top of a canvas down.
func drawLegend(c draw.Canvas, all [][]entry) {
	for i, row := range all {
		x, y := c.Min.X, c.Max.Y-vg.Length(i)*rowHeight-rowHeight/2
		for _, e := range row {
			e.draw(c, x, y)
			style := letters(tickSize)
			style.YAlign = -0.5
			c.FillText(style, vg.Point{X: x + sampleWidth + gap, Y: y}, e.text)
			x += sampleWidth + 3*gap + style.Width(e.text)
		}
	}
}

func (e entry) draw(c draw.Canvas, x, y vg.Length) {
	if e.filled != nil {
		c.FillPolygon(e.filled, rectangle(x+2, x+sampleWidth-2, y-3, y+3))
	}
	if e.line != nil {
		c.StrokeLine2(*e.line, x, y, x+sampleWidth, y)
	}
	if e.mark != nil {
		c.DrawGlyph(*e.mark, vg.Point{X: x + sampleWidth/2, Y: y})
	}
}
