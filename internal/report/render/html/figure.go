package html

import (
	"fmt"
	"html"
	"html/template"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/render/svg"
)

// choice is a list of which a reader takes one.
type choice struct {
	label string
	names []string
	start int
}

// choices are those of a figure: its views, the range of x, the scale.
func choices(f block.Figure) []choice {
	views := choice{label: f.ViewOf, start: max(0, min(f.Start, len(f.Views)-1))}
	ranges, scales := choice{label: "Range", names: []string{"all loads"}}, choice{label: "Scale", names: []string{"linear"}}
	if f.LogChoice {
		scales.names = append(scales.names, "logarithmic")
	}
	for _, v := range f.Views {
		views.names = append(views.names, v.Name)
		for _, p := range v.Panels {
			if len(p.Near) > 0 {
				ranges.names = []string{"all loads", "near the rates"}
			}
		}
	}
	return []choice{views, ranges, scales}
}

// control is a select; of one alternative, its name.
func (c choice) control(b *strings.Builder, views bool) {
	if len(c.names) < 2 {
		if views && len(c.names) == 1 && c.names[0] != "" {
			fmt.Fprintf(b, `<span class="only">%s</span>`, safe(c.names[0]))
		}
		return
	}
	label := c.label
	if label == "" {
		label = "View"
	}
	fmt.Fprintf(b, `<select aria-label="%s">`, safe(label))
	for i, name := range c.names {
		chosen := ""
		if i == c.start {
			chosen = " selected"
		}
		fmt.Fprintf(b, `<option value="%d"%s>%s</option>`, i, chosen, safe(name))
	}
	b.WriteString("</select>")
}

func safe(text string) string { return html.EscapeString(block.Printable(text)) }

// chart draws a figure with all that a reader may choose: the script shows one drawing at a time,
// and without it the first is shown.
func chart(f block.Figure) template.HTML {
	var b strings.Builder
	all := choices(f)
	fmt.Fprintf(&b, `<figure class="chart" id="%s"><figcaption><b>%s</b> %s</figcaption><div class="controls">`, safe(f.ID), safe(f.Title), safe(f.Caption))
	for i, c := range all {
		c.control(&b, i == 0)
	}
	b.WriteString("</div>\n")
	for i, v := range f.Views {
		for near := range all[1].names {
			for log := range all[2].names {
				key := strings.Join(chosen(all, i, near, log), "-")
				hidden := " hidden"
				if i == all[0].start && near == 0 && log == 0 {
					hidden = ""
				}
				fmt.Fprintf(&b, `<div class="view" data-of="%s"%s>`, key, hidden)
				view(&b, f, v, svg.Choice{Near: near == 1, Log: log == 1})
				b.WriteString("</div>\n")
			}
		}
	}
	b.WriteString("</figure>\n")
	return template.HTML(b.String())
}

// chosen is the values of the selects that a figure has.
func chosen(all []choice, values ...int) (list []string) {
	for i, c := range all {
		if len(c.names) > 1 {
			list = append(list, fmt.Sprint(values[i]))
		}
	}
	return list
}

func view(b *strings.Builder, f block.Figure, v block.View, c svg.Choice) {
	legend(b, f, v)
	by := ""
	if len(v.Panels) == 3 {
		by = " by3"
	}
	fmt.Fprintf(b, `<div class="panels%s">`, by)
	for _, p := range v.Panels {
		b.WriteString("<div>")
		if p.Title != "" {
			fmt.Fprintf(b, "<h4>%s</h4>", safe(p.Title))
		}
		panel(b, svg.Draw(f, v, p, c), f.Title+" "+p.Title)
		b.WriteString("</div>")
	}
	b.WriteString("</div>")
	if v.Caption != "" {
		fmt.Fprintf(b, `<p class="says">%s</p>`, safe(v.Caption))
	}
}

func legend(b *strings.Builder, f block.Figure, v block.View) {
	list := svg.Legend(f, v)
	if len(list) == 0 && v.Note == "" {
		return
	}
	b.WriteString(`<div class="legend">`)
	for _, e := range list {
		fmt.Fprintf(b, `<span><svg width="30" height="14" aria-hidden="true">%s</svg>%s</span>`, e.Sample, safe(e.Text))
	}
	if v.Note != "" {
		fmt.Fprintf(b, `<span class="only">%s</span>`, safe(v.Note))
	}
	b.WriteString("</div>")
}

// panel puts a chart into the page; a keyboard reaches it, and its arrows what is in it.
func panel(b *strings.Builder, c svg.Chart, label string) {
	if c.Inside == "" {
		b.WriteString(`<p class="none">not measured</p>`)
		return
	}
	fmt.Fprintf(b, `<svg class="plot" role="group" tabindex="0" aria-label="%s" style="height:%gpx;margin:%gpx %gpx %gpx %gpx;width:calc(100%% - %gpx)">%s</svg>`,
		safe(strings.TrimSpace(label)), c.Height, c.Above, c.Right, c.Below, c.Left, c.Left+c.Right, c.Inside)
	if c.Stops != "" {
		fmt.Fprintf(b, `<script type="application/json">%s</script>`, c.Stops)
	}
}
