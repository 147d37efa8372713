package svg

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// rowHeight is that of the text of one rule above a panel, in pixels.
const rowHeight = 17

// xy draws points and lines.
func xy(f block.Figure, p block.Panel, c Choice) Chart {
	if c.Log {
		p = logarithmic(p, f.LogChoice)
	}
	from, to := math.Inf(-1), math.Inf(1)
	if c.Near && len(p.Near) == 2 {
		from, to = float64(p.Near[0]), float64(p.Near[1])
	}
	p = within(p, from, to)
	xs, ys := values(p)
	if len(ys) == 0 {
		return Chart{}
	}
	d := newDrawing(newScale(p.X, xs, ticksX), newScale(p.Y, ys, ticksY), c)
	for _, a := range p.Areas {
		d.area(a)
	}
	d.axes(true)
	d.heat(p)
	rows := 0
	if slices.ContainsFunc(p.Areas, func(a block.Area) bool { return a.Name != "" }) {
		rows = 1 // the names are above the panel
	}
	for _, r := range p.Rules {
		d.rule(r)
		rows = max(rows, r.Row)
	}
	d.lines(p)
	for _, s := range p.Series {
		d.whiskers(s)
	}
	d.marks(f, p)
	over := 0.0
	if rows > 0 {
		over = 8 + rowHeight*float64(rows)
	}
	out := d.chart(over)
	out.Stops = d.stops(f.Follow, p)
	return out
}

// logarithmic is a panel with a logarithmic y axis in place of a linear one, and x axis if both are asked
// for. Shares have a place for 0.
func logarithmic(p block.Panel, both bool) block.Panel {
	if both {
		p.X.Scale = block.Log
	}
	switch {
	case p.Y.Scale != block.Linear:
	case p.Y.Unit == block.Ratio:
		p.Y.Scale = block.LogOrZero
	default:
		p.Y.Scale = block.Log
	}
	return p
}

// within leaves out what is beyond a range of x, and what is no number.
func within(p block.Panel, from, to float64) block.Panel {
	known := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	in := func(x float64) bool { return known(x) && from <= x && x <= to }
	of := func(r block.Interval) bool { return in(r.X) && known(r.Low) && known(r.High) }
	all := p.Series
	p.Series = nil
	for _, s := range all {
		s.Data = keep(s.Data, func(q block.Point) bool { return in(q.X) && !math.IsInf(q.Y, 0) })
		s.Band, s.Whiskers = keep(s.Band, of), keep(s.Whiskers, of)
		p.Series = append(p.Series, s)
	}
	p.Rules = keep(p.Rules, func(r block.Rule) bool { return r.X == nil || in(float64(*r.X)) })
	return p
}

func keep[T any](list []T, want func(T) bool) (kept []T) {
	for _, v := range list {
		if want(v) {
			kept = append(kept, v)
		}
	}
	return kept
}

// values are all that lie along the axes; no ys: there is nothing to draw.
func values(q block.Panel) (xs, ys []float64) {
	for _, s := range q.Series {
		for _, d := range s.Data {
			if !math.IsNaN(d.Y) {
				xs, ys = append(xs, d.X), append(ys, d.Y)
			}
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
	if len(ys) == 0 {
		return nil, nil
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

// stretched holds paths, which are stretched to the width of the chart; their lines keep their
// strength.
func (d *drawing) stretched(inside string) {
	if inside != "" {
		d.add(`<svg viewBox="0 0 %s %s" preserveAspectRatio="none" width="100%%" height="%[2]s" overflow="visible">%s</svg>`,
			n(d.width), n(d.height), inside)
	}
}

// lines draws the lines of series, which have a gap where there is no value, and bands along
// them.
func (d *drawing) lines(p block.Panel) {
	var b strings.Builder
	for _, s := range p.Series {
		if path := d.band(s); path != "" {
			fmt.Fprintf(&b, `<path d="%s" class="band %s"/>`, path, s.Color)
		}
	}
	for _, s := range p.Series {
		if path := d.path(s, p.Y.Scale); s.Line != "" && path != "" {
			fmt.Fprintf(&b, `<path d="%s" class="%s %s"/>`, path, lineClass(s.Line), s.Color)
		}
	}
	d.stretched(b.String())
}

func (d *drawing) path(s block.Series, y block.Scale) string {
	var b strings.Builder
	step := "M"
	for _, q := range s.Data {
		if math.IsNaN(q.Y) || y == block.Log && q.Y <= 0 {
			step = "M"
			continue
		}
		b.WriteString(step + d.along(q.X) + "," + n(math.Round(10*d.down(q.Y))/10))
		step = "L"
	}
	return b.String()
}

func (d *drawing) band(s block.Series) string {
	var up, down []string
	for _, r := range s.Band {
		x := d.along(r.X) + ","
		up, down = append(up, x+n(d.down(r.High))), append([]string{x + n(d.down(r.Low))}, down...)
	}
	if len(up) < 2 {
		return ""
	}
	return "M" + strings.Join(append(up, down...), "L") + "z"
}

// whiskers are intervals of y through points.
func (d *drawing) whiskers(s block.Series) {
	for _, w := range s.Whiskers {
		x, low, high := d.across(w.X), d.down(w.Low), d.down(w.High)
		d.add(`<line x1="%s" x2="%[1]s" y1="%s" y2="%s" class="whisk %s"/>`, pct(x), n(low), n(high), s.Color)
		for _, y := range []float64{low, high} {
			d.add(`<use href="#m-end" x="%s" y="%s" class="whisk %s"/>`, pct(x), n(y), s.Color)
		}
	}
}

// marks draws the points, the reference's below the others.
func (d *drawing) marks(f block.Figure, p block.Panel) {
	for _, reference := range []bool{true, false} {
		for _, s := range p.Series {
			if s.Mark == "" || (s.Color == "ref") != reference {
				continue
			}
			look := ""
			for _, q := range s.Data {
				if math.IsNaN(q.Y) {
					continue
				}
				form, class := markOf(s.Mark, q.Style, s.Color)
				if class != look {
					d.add(`%s<g class="%s">`, closing(look), class)
				}
				look = class
				mark := fmt.Sprintf(`<use href="#%s" x="%s" y="%s"%s/>`, form, pct(d.across(q.X)), n(d.down(q.Y)), d.tells(f, p, s, q))
				if q.Link != "" { // the arrow keys reach it: a page must not have hundreds of stops
					mark = `<a href="` + esc(q.Link) + `" tabindex="-1">` + mark + `</a>`
				}
				d.WriteString(mark)
			}
			d.add("%s", closing(look))
		}
	}
}

func closing(group string) string {
	if group == "" {
		return ""
	}
	return "</g>"
}

// tells is what a point says; of a figure that is read along an axis, the stops say it.
func (d *drawing) tells(f block.Figure, p block.Panel, s block.Series, q block.Point) string {
	if f.Follow != "" {
		return ""
	}
	return said(p.X.Label+" "+d.x.text(q.X), append([]string{row(s.Name, d.y.text(q.Y))}, more(p, q)...)...)
}

// more are the further values of a point.
func more(p block.Panel, q block.Point) (rows []string) {
	for i, field := range p.Tip {
		if i >= len(q.More) {
			break
		}
		switch v := q.More[i].(type) {
		case float64:
			rows = append(rows, row(field.Name, field.Unit.Text(v)))
		case string:
			rows = append(rows, row(field.Name, v))
		default:
			rows = append(rows, row(field.Name, "n/a"))
		}
	}
	return rows
}

// markOf is the form of a mark and its class; style is "hollow", "cross", "pale" or "" for a full
// one.
func markOf(mark, style, color string) (form, class string) {
	switch {
	case style == "cross":
		mark = style
	case style == "":
		style = "full"
	}
	return "m-" + mark, strings.TrimSpace("mark " + style + " " + color)
}

// lineClass is the look of a line: "solid", "thin", "dashed", "thin dashed", "plain", "ideal".
func lineClass(line string) string {
	if line == "ideal" {
		return line
	}
	return strings.TrimSpace("line " + strings.NewReplacer("dashed", "dashes", "solid", "").Replace(line))
}

// Marks are the forms of marks, which charts refer to: a page or a file has them once.
const Marks = `<svg width="0" height="0" style="position:absolute" aria-hidden="true"><defs>` +
	`<circle id="m-circle" r="4.6"/><path id="m-square" d="M-4.6-4.6h9.2v9.2h-9.2z"/><path id="m-triangle" d="M0-5.5L5.3 4.6H-5.3z"/>` +
	`<path id="m-diamond" d="M0-6L6 0L0 6L-6 0z"/><path id="m-cross" d="M-7-7L7 7M-7 7L7-7"/><path id="m-end" d="M-3.5 0h7"/>` +
	`<path id="m-bound" d="M0-5v10"/></defs></svg>`
