// Package behaviour has the sections of a report on what UPFs do with the rules that
// they accept.
package behaviour

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Matrix is the cases with the UPFs side by side. On a terminal it is left to the rows
// in which a UPF has a finding.
func Matrix(v *view.Run) block.Section {
	list := rows(v)
	if len(list) == 0 {
		return block.Section{}
	}
	t := block.Table{Filtered: true, Columns: []block.Column{block.Key("Case"), block.Prose("What a UPF has to do").In(block.Pages),
		block.Prose("Clause").In(block.Pages)}}
	for _, d := range v.UPFs {
		t.Columns = append(t.Columns, block.Words(d.Label))
	}
	for _, c := range list {
		t.Rows = append(t.Rows, row(v, c))
	}
	blocks := []block.Block{t}
	if !slices.ContainsFunc(t.Rows, func(r block.Row) bool { return r.Only.Has(block.Text) }) {
		t.Only = block.Pages
		blocks = []block.Block{t, block.Note{Only: block.Text, Text: "No case has a finding; report.html has the verdict of each."}}
	}
	return block.Section{Title: "Enforcement matrix",
		Hint: "Each case establishes sessions, sends packets and compares what arrives, is counted and is reported with what the rules ask. " +
			"Refused: with a cause, and not announced as a feature, as a UPF may. On a terminal only cases with a finding are listed.",
		Blocks: blocks}
}

// rows are the cases of all UPFs: those in which one has a finding come first.
func rows(v *view.Run) (list []*record.Case) {
	seen, bad := map[string]bool{}, map[string]bool{}
	for _, d := range v.UPFs {
		for i := range d.Cases {
			c := &d.Cases[i]
			if !seen[c.ID] {
				seen[c.ID] = true
				list = append(list, c)
			}
			if c.Verdict.Bad() {
				bad[c.ID] = true
			}
		}
	}
	sound := func(c *record.Case) int {
		if bad[c.ID] {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(list, func(a, b *record.Case) int { return sound(a) - sound(b) })
	return list
}

// Totals is how often each UPF has each verdict.
func Totals(v *view.Run) block.Section {
	t := block.Table{Columns: []block.Column{block.Words("UPF"), block.Number("Cases", ""), block.Number("Findings", "")}}
	verdicts := []record.Verdict{record.VerdictEnforced, record.VerdictNotEnforced, record.VerdictWrong, record.VerdictDied,
		record.VerdictRefused, record.VerdictRefusedWrongly, record.VerdictNotApplicable}
	for _, one := range verdicts {
		t.Columns = append(t.Columns, block.Number(Words(one), ""))
	}
	for _, d := range v.UPFs {
		count, findings := map[record.Verdict]int{}, 0
		for i := range d.Cases {
			count[d.Cases[i].Verdict]++
			if d.Cases[i].Verdict.Bad() {
				findings++
			}
		}
		row := []block.Cell{{Text: d.Label, Note: block.Printable(d.Version)}, block.T(fmt.Sprint(len(d.Cases))),
			{Text: fmt.Sprint(findings), Tone: block.Good}}
		if findings > 0 {
			row[2].Tone = block.Bad
		}
		for _, one := range verdicts {
			row = append(row, block.T(fmt.Sprint(count[one])))
		}
		t.Rows = append(t.Rows, block.Row{Cells: row})
	}
	return block.Section{Title: "Totals", Blocks: []block.Block{t}}
}

// Words is a verdict as the matrix has it.
func Words(v record.Verdict) string { return strings.ReplaceAll(string(v), "_", " ") }

func row(v *view.Run, c *record.Case) block.Row {
	r := block.Row{Cells: block.Cells(c.ID, block.Printable(c.Title), block.Printable(c.Clause)), Only: block.Pages}
	for _, d := range v.UPFs {
		found := d.Case(c.ID)
		r.Cells = append(r.Cells, cell(found))
		if found != nil && found.Verdict.Bad() {
			r.Only = 0
		}
	}
	return r
}

// cell is one verdict.
func cell(c *record.Case) block.Cell {
	if c == nil {
		return block.T(units.Blank)
	}
	text := Words(c.Verdict)
	switch {
	case c.Verdict == record.VerdictEnforced:
		return block.Cell{Text: text, Tone: block.Good}
	case c.Verdict == record.VerdictNotEnforced, c.Verdict == record.VerdictWrong, c.Verdict == record.VerdictDied:
		return block.Cell{Text: text, Tone: block.Bad}
	case c.Verdict.Bad():
		return block.Cell{Text: text, Tone: block.Warn}
	}
	return block.Cell{Text: text, Tone: block.Muted}
}
