package svg

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/report/block"
)

// area shades a range of x. A name is within it, if it is wide enough to show some of it.
func (d *drawing) area(a block.Area) {
	const room = 12 // percent of the width
	class := "area"
	if a.Name != "" {
		class += " of-many"
	}
	if a.Pale {
		class += " pale"
	}
	from, to := d.across(float64(a.From)), d.across(float64(a.To))
	d.box(from, to, 0, d.height, `class="`+class+`"`)
	if a.Name != "" && to-from >= room {
		d.add(`<svg x="%s" y="-16" width="%s" height="16" overflow="hidden"><text x="2" y="12" class="why-note">%s</text></svg>`,
			pct(from), pct(to-from), esc(a.Name))
	}
}

// warmth is how strong the color of a share is: each tenfold is one step of six.
func warmth(share float64) float64 { return max(0.07, min(1, 1+math.Log10(share)/5.2)) }

// heat draws rectangles that are the stronger, the more is in them.
func (d *drawing) heat(p block.Panel) {
	if p.Heat == nil {
		return
	}
	for _, c := range p.Heat.Cells {
		d.box(d.across(c.X), d.across(c.ToX), d.down(c.Y), d.down(c.ToY), fmt.Sprintf(`class="heat" fill-opacity="%s"%s`, n(warmth(c.Share)),
			said(d.y.text(c.Y)+" to "+d.y.text(c.ToY), row(p.Heat.Of, block.Ratio.Text(c.Share)), row(p.X.Label, d.x.text((c.X+c.ToX)/2)))))
	}
}

// rule draws a line across the panel. The name of an upright one is above, in a row that no other
// has.
func (d *drawing) rule(r block.Rule) {
	switch {
	case r.Diagonal:
		from, to := max(d.x.lo, d.y.lo), min(d.x.hi, d.y.hi)
		d.add(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="ideal"/>`, pct(100*d.x.of(from)), n(d.height*(1-d.y.of(from))),
			pct(100*d.x.of(to)), n(d.height*(1-d.y.of(to))))
	case r.Y != nil:
		y := d.down(float64(*r.Y))
		d.add(`<line x2="100%%" y1="%s" y2="%[1]s" class="ideal"/>`, n(y))
		if r.Text != "" {
			d.add(`<text x="6" y="%s" class="why-note">%s</text>`, n(y-4), esc(r.Text))
		}
	case r.X != nil:
		d.upright(r)
	}
}

func (d *drawing) upright(r block.Rule) {
	x, top, bad, dashed := d.across(float64(*r.X)), -float64(rowHeight*r.Row)-5, "", ""
	if r.Bad {
		bad = " bad"
	}
	if r.Dashed {
		dashed = " upper"
	}
	d.add(`<line x1="%s" x2="%[1]s" y1="%s" y2="%s" class="goal%s"/>`, pct(x), n(top), n(d.height), dashed+bad)
	if r.Text == "" {
		return
	}
	gap, anchor := 5, "start"
	if x > 50 {
		gap, anchor = -5, "end"
	}
	d.add(`<text x="%s" dx="%d" y="%s" text-anchor="%s" class="goal-name%s">%s</text>`, pct(x), gap, n(top+11), anchor, bad, esc(r.Text))
}
