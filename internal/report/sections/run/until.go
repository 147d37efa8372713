package run

import (
	"fmt"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/sequential"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Until says why a run that decided itself when to end did, and what it knows.
func Until(v *view.Run) block.Section {
	u := v.Until
	if u == nil {
		return block.Section{}
	}
	tone := block.Plain
	if !u.Reached() {
		tone = block.Warn
	}
	s := block.Section{Blocks: []block.Block{block.Note{Tone: tone, Text: block.Printable(sequential.Words(u)) + "."}}}
	if across := sequential.Across(u); across != "" {
		s.Blocks = append(s.Blocks, block.Note{Tone: block.Muted, Text: block.Printable(across)})
	}
	return s
}

// KnownFigures is a table of what a run knows, and how well.
func KnownFigures(v *view.Run) block.Section {
	if v.Until == nil {
		return block.Section{}
	}
	if u := v.Until.Verdict; u != nil {
		return decided(u)
	}
	if len(v.Until.Known) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Words("Load"), block.Words("Figure"), block.Number("Median", ""),
		block.Number("Known to", ""), block.Number("From", ""), block.Number("To", ""), block.Number("Repeats", ""), block.Number("Design effect", "")}}
	for _, k := range v.Until.Known {
		t.Rows = append(t.Rows, block.Row{Cells: block.Cells(block.Printable(k.DUT), block.Printable(k.Where), k.Figure, k.Sign+write(k, &k.Value),
			within(k), write(k, k.Low), write(k, k.High), units.Number(float64(k.Repeats), "%.0f"), effect(k))})
	}
	return block.Section{Title: "How well figures are known", Blocks: []block.Block{t},
		Hint: "A confidence sequence of the median of the repeats: it holds with 95 % for each figure, however often and whenever it is looked at. " +
			"It says nothing of other runs. Design effect: how many repeats are worth one, since neighbours are alike."}
}

// effect is the design effect, of which so few repeats show no more than that it is over their number.
func effect(k record.KnownFigure) string {
	if k.Effect > float64(k.Repeats) {
		return fmt.Sprintf("over %d", k.Repeats)
	}
	return units.Number(k.Effect, "%.2f")
}

func write(k record.KnownFigure, value *float64) string {
	if value == nil || k.Repeats == 0 {
		return units.None
	}
	return figure.Write(*value, figure.Unit(k.Unit))
}

func within(k record.KnownFigure) string {
	if k.Within == nil {
		return units.None
	}
	return units.Number(100**k.Within, "±%.2g %%")
}

// decided is a table of what a comparison within a run came to.
func decided(u *record.UntilVerdict) block.Section {
	if len(u.Figures) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Merged("Trial"), block.Words("Figure"), block.Number("Change", "%"), block.Number("Blocks", ""),
		block.Number("e-value, worse", ""), block.Number("e-value, not worse", ""), block.Words("Verdict")}}
	for _, f := range u.Figures {
		t.Rows = append(t.Rows, block.Row{Cells: block.Cells(block.Printable(f.Where), f.Figure, units.Number(100*f.Change, "%+.2f"),
			units.Number(float64(f.Blocks), "%.0f"), units.Number(f.EWorse, "%.3g"), units.Number(f.ENot, "%.3g"), f.Decision)})
	}
	return block.Section{Title: "How it was decided: " + block.Printable(u.B) + " against " + block.Printable(u.A), Blocks: []block.Block{t},
		Hint: "An e-value of 20 leaves 5 % for a wrong word of one figure, however often it is looked at. Worse is said where Holm's procedure " +
			"over all figures leaves as little; not worse, where each figure shows it."}
}
