package svg

import (
	"fmt"

	"github.com/upflab/upflab/internal/report/block"
)

// columns draws upright bars in groups by the categories of the x axis; x is the index of one.
func columns(p block.Panel, c Choice) Chart {
	used, most := map[int]int{}, 0.0
	for _, s := range p.Series {
		for _, q := range s.Data {
			used[int(q.X)], most = 0, max(most, q.Y)
		}
	}
	if len(used) == 0 {
		return Chart{}
	}
	d := newDrawing(scale{title: p.X.Label, hi: float64(len(used))}, newScale(p.Y, []float64{0, most}, ticksY), c)
	for i, name := range p.X.Categories {
		if _, ok := used[i]; ok {
			used[i] = len(d.x.ticks)
			d.x.mark(float64(len(d.x.ticks))+0.5, name)
		}
	}
	d.axes(false)
	each := 100 / float64(len(used))
	wide := min(8, 0.8*each/float64(len(p.Series)))
	for k, s := range p.Series {
		for _, q := range s.Data {
			rows, category := append([]string{row(s.Name, d.y.text(q.Y))}, more(p, q)...), int(q.X)
			if q.Style == "pale" {
				rows = append(rows, "not valid")
			}
			x := each*(float64(used[category])+0.5) + (float64(k)-float64(len(p.Series))/2)*wide
			d.box(x+wide*0.06, x+wide*0.94, d.height, min(d.down(q.Y), d.height-1), fmt.Sprintf(`class="column %s %s"%s`, s.Color, q.Style,
				said(p.X.Categories[category], rows...)))
		}
	}
	return d.chart(0)
}

// Sizes of a level bar, in pixels.
const (
	barText  = 19 // a line of text above it
	barLine  = 16 // another one, where some bar has a note
	barThick = 17
	barGap   = 11
)

// bars draws level bars, each below its name, its value and a note, on the same scale in all panels
// of a view.
func bars(v block.View, p block.Panel) Chart {
	known, most, text := spans(p), 0.0, float64(barText)
	for _, one := range v.Panels {
		for _, s := range spans(one) {
			if most = max(most, float64(s.Bar.Value)); s.Bar.High != nil {
				most = max(most, float64(*s.Bar.High))
			}
		}
	}
	for _, s := range known {
		if s.Bar.Note != "" {
			text = barText + barLine
		}
	}
	if len(known) == 0 {
		return Chart{}
	}
	each := text + barThick + barGap
	d := drawing{x: newScale(p.X, []float64{0, most}, ticksX), height: each * float64(len(known))}
	d.barAxis()
	for i, s := range known {
		d.bar(s, each*float64(i), text)
	}
	return Chart{Inside: d.String(), Height: d.height, Above: 4, Left: 4, Right: 10, Below: below}
}

// spans are the series that have a bar.
func spans(p block.Panel) []block.Series {
	return keep(p.Series, func(s block.Series) bool { return s.Bar != nil })
}

// barAxis has no room beside it: its first and last text lie within.
func (d *drawing) barAxis() {
	for i, t := range d.x.ticks {
		x, anchor := pct(100*d.x.of(t.at)), "middle"
		switch i {
		case 0:
			anchor = "start"
		case len(d.x.ticks) - 1:
			anchor = "end"
		}
		d.add(`<line x1="%s" x2="%[1]s" y2="%s" class="grid"/><text x="%[1]s" y="%[3]s" text-anchor="%s" class="tick">%s</text>`, x, n(d.height),
			n(d.height+16), anchor, esc(t.text))
	}
	d.add(`<text x="50%%" y="%s" text-anchor="middle" class="label">%s</text>`, n(d.height+36), esc(d.x.title))
}

// bar draws one, from a height down.
func (d *drawing) bar(s block.Series, top, text float64) {
	b, y, class := s.Bar, top+text, "column "+s.Color
	if b.Hatched {
		class += " hollow"
	}
	rows := []string{row("median", b.Text)}
	if b.Range != "" {
		rows = append(rows, row(b.RangeOf, b.Range))
	}
	if b.Note != "" {
		rows = append(rows, b.Note)
		d.add(`<text y="%s" class="why-note">%s</text>`, n(y-6), esc(b.Note))
	}
	d.add(`<text y="%s" class="value name">%s<tspan dx="9" class="value">%s</tspan></text>`, n(top+14), esc(s.Name), esc(b.Text))
	d.box(0, max(0.5, d.across(float64(b.Value))), y, y+barThick, fmt.Sprintf(`class="%s"`, class))
	if b.Hatched {
		d.add(`<line x2="%s" y1="%s" y2="%[2]s" class="hatch %s"/>`, pct(d.across(float64(b.Value))), n(y+barThick/2.0), s.Color)
	}
	if b.Low != nil && b.High != nil {
		low, high, middle := pct(d.across(float64(*b.Low))), pct(d.across(float64(*b.High))), n(y+barThick/2.0)
		d.add(`<line x1="%s" x2="%s" y1="%s" y2="%[3]s" class="whisker"/><use href="#m-bound" x="%[1]s" y="%[3]s" class="whisker"/>`+
			`<use href="#m-bound" x="%[2]s" y="%[3]s" class="whisker"/>`, low, high, middle)
	}
	for _, far := range b.Far {
		d.add(`<circle cx="%s" cy="%s" r="4" class="far"/>`, pct(d.across(float64(far))), n(y+barThick/2.0))
	}
	d.box(0, 100, top, y+barThick, `class="target"`+said(s.Name, rows...))
}
