package run

import (
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
)

// SummaryChart draws the summary, a metric at a time.
func SummaryChart(v *view.Run) block.Section {
	lines := summaryLines(v)
	if len(lines) == 0 {
		return block.Section{}
	}
	f := block.Figure{ID: "summary", Title: "Side by side", Shape: block.Bars, ViewOf: "Which figure", Only: block.HTML,
		Caption: "Medians; a whisker is the 95 % interval over the repeats, or of fewer than six their range. " +
			"A hatched bar is not the UPF's own limit: the note above it says why. Dashed is the reference."}
	for _, l := range lines {
		if n := len(f.Views); n == 0 || f.Views[n-1].Name != l.Name {
			f.Views = append(f.Views, block.View{Name: l.Name})
		}
		one := &f.Views[len(f.Views)-1]
		one.Panels = append(one.Panels, block.Panel{Title: string(l.Direction), X: block.Axis{Label: l.Unit}, Series: bars(v, l)})
	}
	return block.Section{Blocks: []block.Block{f}}
}

func bars(v *view.Run, l line) (all []block.Series) {
	for i, d := range v.UPFs {
		if b := l.Bars[i]; b != nil {
			all = append(all, block.Series{Name: d.Label, Color: d.Color(), Bar: &b.Span})
		}
	}
	return all
}
