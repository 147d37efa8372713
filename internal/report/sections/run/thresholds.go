package run

import (
	"fmt"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Thresholds is a line for each threshold and load that it was for.
func Thresholds(v *view.Run) block.Section {
	if len(v.Thresholds) == 0 {
		return block.Section{}
	}
	t := block.Table{Columns: []block.Column{block.Merged("Threshold"), block.Words("UPF"), block.Words("Load"), block.Number("Measured", ""),
		block.Number("Limit", ""), block.Number("Kept", ""), block.Words("Outcome")}}
	var why block.List
	for _, one := range v.Thresholds {
		t.Rows = append(t.Rows, thresholdRow(one))
		if one.Why != "" {
			why.Items = append(why.Items, block.Item{Label: one.Expression, Text: place(one) + ": " + one.Why})
		}
	}
	s := block.Section{Title: "Thresholds: " + outcomes(v.Outcomes()), Blocks: []block.Block{t},
		Hint: "Measured is the median of the valid repeats; kept is how many of them keep the threshold. What " +
			"something other than the UPF limited is not held against it."}
	if len(why.Items) > 0 {
		s.Blocks = append(s.Blocks, block.Note{Text: "Cannot tell:"}, why)
	}
	return s
}

func thresholdRow(t record.Threshold) block.Row {
	unit := figure.Unit(t.Unit)
	measured := block.T(written(t.Value, unit))
	if t.Repeats > 1 {
		measured.Range = figure.Write(*t.Lowest, unit) + ".." + figure.Write(*t.Highest, unit)
	}
	kept := units.None
	if t.Repeats > 0 {
		kept = fmt.Sprintf("%d of %d", t.Kept, t.Repeats)
	}
	return block.Row{Cells: []block.Cell{block.T(t.Expression), block.T(units.OrElse(t.DUT, units.None)),
		block.T(units.OrElse(t.Where, units.None)), measured,
		block.T(written(t.Limit, unit)), block.T(kept), {Text: string(t.Outcome), Tone: outcomeTone(t.Outcome)}}}
}

func written(v *float64, unit figure.Unit) string {
	if v == nil {
		return units.None
	}
	return figure.Write(*v, unit)
}

func outcomeTone(o record.Outcome) block.Tone {
	switch o {
	case record.OutcomePass:
		return block.Good
	case record.OutcomeFail:
		return block.Bad
	}
	return block.Warn
}

// place is of which UPF and load a line is.
func place(t record.Threshold) string {
	switch {
	case t.DUT == "":
		return "this run"
	case t.Where == "":
		return t.DUT
	}
	return t.DUT + ", " + t.Where
}

// outcomes is "2 pass, 1 fail".
func outcomes(n map[record.Outcome]int) string {
	text := ""
	for _, o := range []record.Outcome{record.OutcomeFail, record.OutcomeCannotTell, record.OutcomePass} {
		if n[o] > 0 {
			text += fmt.Sprintf(", %d %s", n[o], o)
		}
	}
	return text[2:]
}
