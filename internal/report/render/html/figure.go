package html

import (
	"html/template"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/svg"
)

// figure is one with the drawings of all that a reader may choose: the script shows one at a time,
// and without it the first is shown.
type figure struct {
	block.Figure
	Level    int    // of its heading
	Only     string // the name of the one view; "": there is a choice, or it has none
	Choices  []choice
	Drawings []drawing
}

// Below is the level of the headings of panels.
func (f figure) Below() int { return f.Level + 1 }

// choice is a list of which a reader takes one.
type choice struct {
	Label string
	Names []string
	Start int
}

// drawing is a view as drawn for values of the choices, "0-1".
type drawing struct {
	block.View
	Of     string
	Hidden bool
	Legend []entry
	Charts []chart
}

type entry struct {
	Sample template.HTML // of svg's own making, as Inside is
	Text   string
}

type chart struct {
	svg.Chart
	Title, Label string
	Inside       template.HTML
	Width        float64 // of the texts beside the axes
}

// drawn draws a figure.
func drawn(f block.Figure) figure {
	out := figure{Figure: f}
	ranges, scales := []string{"all loads"}, []string{"linear"}
	if f.LogChoice || f.Pressed() {
		scales = append(scales, "logarithmic")
	}
	if hasNear(f) {
		ranges = append(ranges, "near the rates")
	}
	start := max(0, min(f.Start, len(f.Views)-1))
	for i, v := range f.Views {
		for near := range ranges {
			for log := range scales {
				of := key([]int{len(f.Views), len(ranges), len(scales)}, []int{i, near, log})
				d := draw(f, v, svg.Choice{Near: near == 1, Log: log == 1})
				d.Of, d.Hidden = of, i != start || near+log > 0
				out.Drawings = append(out.Drawings, d)
			}
		}
	}
	out.choose(f, start, ranges, scales)
	return out
}

// choose sets what the reader may choose, as far as there is a choice.
func (f *figure) choose(of block.Figure, start int, ranges, scales []string) {
	views := choice{Label: of.ViewOf, Start: start}
	if views.Label == "" {
		views.Label = "View"
	}
	for _, v := range of.Views {
		views.Names = append(views.Names, v.Name)
	}
	if len(views.Names) == 1 {
		f.Only = views.Names[0]
	}
	for _, c := range []choice{views, {Label: "Range", Names: ranges}, {Label: "Scale", Names: scales}} {
		if len(c.Names) > 1 {
			f.Choices = append(f.Choices, c)
		}
	}
}

func hasNear(f block.Figure) bool {
	return slices.ContainsFunc(f.Views, func(v block.View) bool {
		return slices.ContainsFunc(v.Panels, func(p block.Panel) bool { return len(p.Near) > 0 })
	})
}

// key joins the values of the choices of which there are several.
func key(counts, values []int) string {
	var list []string
	for i, n := range counts {
		if n > 1 {
			list = append(list, strconv.Itoa(values[i]))
		}
	}
	return strings.Join(list, "-")
}

func draw(f block.Figure, v block.View, c svg.Choice) drawing {
	d := drawing{View: v}
	for _, e := range svg.Legend(f, v) {
		d.Legend = append(d.Legend, entry{template.HTML(e.Sample), e.Text})
	}
	for _, p := range v.Panels {
		one := svg.Draw(f, v, p, c)
		d.Charts = append(d.Charts, chart{one, p.Title, strings.TrimSpace(f.Title + " " + p.Title), template.HTML(one.Inside),
			one.Left + one.Right})
	}
	return d
}
