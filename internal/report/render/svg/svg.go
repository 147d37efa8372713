// Package svg draws figures, once for all that show them: a page, which colors them by its
// style sheet and fits them to any width, and files for a publication. Within the axes, places
// are in percent of the width and in pixels from the top.
package svg

import (
	_ "embed"
	"fmt"
	"html"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// Style has the colors, light and dark, as variables, and what elements of a chart look like.
//
//go:embed chart.css
var Style string

// Choice is what a reader may choose of a view besides the view.
type Choice struct {
	Near bool // only the range of x of Panel.Near
	Log  bool // logarithmic axes in place of linear ones
	// Width is that between the axes, in pixels; 0: any, to which lines are stretched without
	// their strength, which not every program that reads SVG can.
	Width float64
}

// Chart is a panel as it is drawn.
type Chart struct {
	Inside string  // the elements; "": nothing was measured
	Height float64 // between the axes, in pixels
	// Above, Left, Right and Below are the room for texts around the axes, in pixels.
	Above, Left, Right, Below float64
	// Stops are what a pointer reads along an axis; nil: it reads what is under it.
	Stops *Stops
}

// Sizes between and around axes, in pixels.
const (
	height = 252
	above  = 12
	left   = 62
	right  = 14
	below  = 44
)

// Ticks along the axes, about.
const (
	ticksX = 6
	ticksY = 5
)

// Draw draws a panel of a view of a figure.
func Draw(f block.Figure, v block.View, p block.Panel, c Choice) Chart {
	switch f.Shape {
	case block.Columns:
		return columns(p, c)
	case block.Bars:
		return bars(v, p)
	}
	return xy(f, p, c)
}

// drawing collects elements within axes.
type drawing struct {
	strings.Builder
	x, y   scale
	height float64
	width  float64 // of the paths' own units
}

func newDrawing(x, y scale, c Choice) drawing {
	d := drawing{x: x, y: y, height: height, width: c.Width}
	if d.width == 0 {
		d.width = 100
	}
	return d
}

// add appends an element; its texts are escaped already.
func (d *drawing) add(format string, args ...any) { fmt.Fprintf(d, format, args...) }

// along is where a value of x lies in a path.
func (d *drawing) along(v float64) string { return n(d.width * d.x.share(v)) }

// across is where a value of x lies, 0 to 100.
func (d *drawing) across(v float64) float64 { return 100 * d.x.share(v) }

// down is where a value of y lies, in pixels.
func (d *drawing) down(v float64) float64 { return d.height * (1 - d.y.share(v)) }

// n writes a number to a hundredth.
func n(v float64) string {
	text := strings.TrimRight(strconv.FormatFloat(v, 'f', 2, 64), "0")
	return strings.TrimSuffix(text, ".")
}

// pct writes a share of the width.
func pct(v float64) string { return n(v) + "%" }

// esc makes a text safe within an element and within quotes.
func esc(text string) string { return html.EscapeString(block.Printable(text)) }

// said is the attributes of what a reader can stop at: a title, then names and values.
func said(title string, rows ...string) string {
	return fmt.Sprintf(` aria-label="%s"`, escLines(append([]string{title}, rows...)))
}

func escLines(lines []string) string {
	safe := make([]string, len(lines))
	for i, line := range lines {
		safe[i] = esc(line)
	}
	return strings.Join(safe, "&#10;")
}

// row is a line of said.
func row(name, value string) string {
	if name == "" {
		return value
	}
	return name + ": " + value
}

// box is a rectangle from one place to another.
func (d *drawing) box(x0, x1, y0, y1 float64, attributes string) {
	d.add(`<rect x="%s" y="%s" width="%s" height="%s" %s/>`, pct(min(x0, x1)), n(min(y0, y1)), pct(max(x1, x0)-min(x0, x1)),
		n(max(y0, y1)-min(y0, y1)), attributes)
}

// axes draws the grid, the ticks' texts and the titles.
func (d *drawing) axes(upright bool) {
	grid, beside, under := "", "", ""
	for _, t := range d.y.ticks {
		y := d.height * (1 - d.y.of(t.at))
		grid += "M0," + n(y) + "H" + n(d.width)
		beside += fmt.Sprintf(`<text x="-7" y="%s">%s</text>`, n(y+4), esc(t.text))
	}
	for _, t := range d.x.ticks {
		x := 100 * d.x.of(t.at)
		if upright {
			grid += "M" + n(x/100*d.width) + ",0V" + n(d.height)
		}
		under += fmt.Sprintf(`<text x="%s" y="%s">%s</text>`, pct(x), n(d.height+17), esc(t.text))
	}
	d.stretched(`<path d="` + grid + `" class="grid"/><path d="M0,` + n(d.height) + `H` + n(d.width) + `" class="axis"/>`)
	d.add(`<g class="tick" text-anchor="end">%s</g><g class="tick" text-anchor="middle">%s</g>`, beside, under)
	d.add(`<text x="50%%" y="%s" text-anchor="middle" class="label">%s</text>`, n(d.height+37), esc(d.x.title))
	d.add(`<text transform="translate(%d %s) rotate(-90)" text-anchor="middle" class="label">%s</text>`, 13-left,
		n(d.height/2), esc(d.y.title))
}

// chart is what was drawn, with room of a height above it.
func (d *drawing) chart(over float64) Chart {
	return Chart{Inside: d.String(), Height: d.height, Above: above + over, Left: left, Right: right, Below: below}
}
