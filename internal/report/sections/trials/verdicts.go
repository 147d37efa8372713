package trials

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Verdicts is what limited each trial, whether it is valid, and why.
func Verdicts(v *view.Run) block.Section {
	all := v.Verdicts()
	if len(all) == 0 {
		return block.Section{}
	}
	t := eachTrial(all, []block.Column{block.Words("Valid"), block.Words("Limited by"), block.Words("Reasons"), block.Prose("Why")},
		func(t view.Verdict) []block.Cell {
			return []block.Cell{valid(t.Valid), {Text: units.OrNone(string(t.LimitedBy)), Tone: view.LimitTone(t.LimitedBy)},
				block.T(units.OrNone(strings.Join(t.Codes(), ", "))), block.T(t.Why())}
		})
	return block.Section{Title: "Verdicts", Only: block.Pages,
		Hint:   "What limited each trial, whether it is valid, and why. `upflab explain REASON` has the cause and the fix of each reason.",
		Blocks: []block.Block{t}}
}

func valid(yes bool) block.Cell {
	if yes {
		return block.T("yes")
	}
	return block.Cell{Text: "no", Tone: block.Bad}
}

// eachTrial is a table with a row for each trial.
func eachTrial(all []view.Verdict, columns []block.Column, of func(view.Verdict) []block.Cell) block.Table {
	t := block.Table{Columns: append([]block.Column{block.Key("UPF"), block.Key("Trial"), block.Number("Repeat", "")}, columns...)}
	for _, one := range all {
		row := block.Row{Cells: []block.Cell{one.Row.UPF.NameCell(), block.T(one.Name()), block.T(fmt.Sprint(one.Repeat))}}
		if !one.Valid {
			row.Tone = block.Bad
		}
		row.Cells = append(row.Cells, of(one)...)
		t.Rows = append(t.Rows, row)
	}
	return t
}
