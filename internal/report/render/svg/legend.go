package svg

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
)

// Entry is one of a legend: a sample of 30 by 14 pixels and its text.
type Entry struct{ Sample, Text string }

// Legend names the series, each once, then what else a view shows.
func Legend(f block.Figure, v block.View) (list []Entry) {
	if f.Shape == block.Bars {
		return nil // the bars have their names
	}
	at := map[string]int{}
	add := func(s block.Series) {
		i, seen := at[s.Name]
		if !seen {
			i, at[s.Name] = len(list), len(list)
			list = append(list, Entry{})
		}
		if !seen || s.Line == "solid" {
			list[i] = sample(seriesName(s), s.Line, s.Mark, "", s.Color)
		}
		if f.Shape == block.Columns {
			list[i].Sample = filled("column "+s.Color, "")
		}
	}
	for _, p := range v.Panels {
		for _, s := range p.Series {
			add(s)
		}
	}
	for _, s := range f.Legend {
		list = append(list, sample(s.Text, s.Line, s.Mark, s.Style, s.Color))
	}
	for _, e := range overlays(f, v) {
		if !slices.Contains(list, e) {
			list = append(list, e)
		}
	}
	return list
}

// seriesName is the name of a series in the legend.
func seriesName(s block.Series) string {
	if s.Bad {
		return s.Name + ": not valid"
	}
	if s.Color == "ref" {
		return s.Name + " (reference)"
	}
	return s.Name
}

func sample(text, line, mark, style, color string) Entry {
	e := Entry{Text: text}
	if line != "" {
		e.Sample = fmt.Sprintf(`<line x1="1" x2="29" y1="7" y2="7" class="%s"/>`, strings.TrimSpace(lineClass(line)+" "+color))
	}
	if mark != "" {
		form, class := markOf(mark, style, color)
		e.Sample += fmt.Sprintf(`<use href="#%s" x="15" y="7" class="%s"/>`, form, class)
	}
	return e
}

func filled(class, attributes string) string {
	return fmt.Sprintf(`<rect x="9" y="1" width="12" height="12" class="%s"%s/>`, class, attributes)
}

// overlays are the entries of areas, diagonals and heat.
func overlays(f block.Figure, v block.View) (list []Entry) {
	for _, p := range v.Panels {
		for _, a := range p.Areas {
			if !a.Pale && a.Text != "" {
				list = append(list, Entry{filled("area", ""), a.Text})
			}
		}
		for _, r := range p.Rules {
			if r.Diagonal && len(f.Legend) == 0 {
				list = append(list, sample("no loss", "ideal", "", "", ""))
			}
		}
		if p.Heat != nil {
			for _, share := range []float64{1e-5, 1e-3, 0.1} {
				list = append(list, Entry{filled("heat", ` fill-opacity="`+n(warmth(share))+`"`), block.Ratio.Text(share)})
			}
		}
	}
	return list
}
