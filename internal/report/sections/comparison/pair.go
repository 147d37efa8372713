package comparison

import (
	"fmt"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// pair is the figures of one UPF on both sides. Of the reference a terminal shows only
// those that changed.
func pair(c *compare.Comparison, p compare.Pair, notes *footnotes) block.Section {
	s := block.Section{Title: pairTitle(p)}
	bases := basesOf(p)
	t := block.Table{Columns: columns(p, bases)}
	changed := 0
	for _, f := range p.Figures {
		row := block.Row{Cells: cells(c, p, f, bases, notes)}
		if f.Verdict == compare.Better || f.Verdict == compare.Worse {
			changed++
		}
		if !shown(p, f) {
			row.Only = block.Pages
		}
		t.Rows = append(t.Rows, row)
	}
	if p.Reference() {
		s.Blocks = append(s.Blocks,
			block.Note{Text: fmt.Sprintf("of %s %d shown to have changed", units.Plural(len(p.Figures), "figure"),
				changed)})
		if changed == 0 {
			t.Only = block.Pages
		}
	}
	s.Blocks = append(s.Blocks, t)
	return s
}

// shown reports whether a terminal has the row of a figure.
func shown(p compare.Pair, f compare.Figure) bool {
	return !p.Reference() || f.Verdict == compare.Better || f.Verdict == compare.Worse
}

// pairTitle names a pair and the versions of both sides.
func pairTitle(p compare.Pair) string {
	title := p.Title()
	if p.Reference() {
		title += " (reference: its changes are the machine's)"
	}
	if p.A.Version == p.B.Version {
		return strings.TrimSpace(title + "  " + p.A.Version)
	}
	return fmt.Sprintf("%s  A %s, B %s", title, units.OrNone(p.A.Version), units.OrNone(p.B.Version))
}

// columns has the change that the verdict rests on for a terminal, and those on each
// basis for a page.
func columns(p compare.Pair, bases []compare.Basis) []block.Column {
	list := []block.Column{block.Merged("Trial"), block.Words("Figure"), block.Number("A", ""), block.Number("B", ""),
		block.Number("Change", "").In(block.Text), block.Number("95 % interval", "").In(block.Text)}
	for _, b := range bases {
		list = append(list, block.Number(baseTitle(b), "").In(block.Pages), block.Number("95 % interval", "").In(block.Pages))
	}
	list = append(list, block.Words("Repeats").In(block.Pages), block.Words("Verdict"))
	if p.Reference() {
		return list
	}
	return append(list, block.Words("Worse beyond the threshold?").In(block.Pages))
}

func cells(c *compare.Comparison, p compare.Pair, f compare.Figure, bases []compare.Basis, notes *footnotes) []block.Cell {
	m := f.Metric
	a, b := samples(f)
	list := block.Cells(trial(f), metricTitle(m), a, b, change(m, f.Change()), interval(f.Change()))
	for _, b := range bases {
		list = append(list, block.T(change(m, f.On(b))), block.T(interval(f.On(b))))
	}
	list = append(list, block.T(fmt.Sprintf("%d, %d", f.A.N, f.B.N)),
		block.Cell{Text: string(f.Verdict) + notes.mark(why(c, p, f), shown(p, f)), Tone: tone(f.Verdict)})
	if p.Reference() {
		return list
	}
	return append(list, block.T(units.OrElse(f.Words(c.Threshold), units.None)))
}

func tone(v compare.Verdict) block.Tone {
	switch v {
	case compare.Better:
		return block.Good
	case compare.Worse:
		return block.Bad
	}
	return block.Plain
}

// why says in what the verdict of a figure falls short.
func why(c *compare.Comparison, p compare.Pair, f compare.Figure) string {
	switch {
	case f.Verdict == compare.Equal:
		return ""
	case f.Why == "" && f.Basis != c.Basis && !f.On(c.Basis).Known && !p.Reference():
		return "as measured: wire has no such figure"
	}
	return f.Why
}

// basesOf lists on what the pair's changes are known, the verdicts' first.
func basesOf(p compare.Pair) (bases []compare.Basis) {
	for _, b := range []compare.Basis{compare.BasisPaired, compare.BasisWire, compare.BasisRaw} {
		for _, f := range p.Figures {
			if f.On(b).Known {
				bases = append(bases, b)
				break
			}
		}
	}
	return bases
}

func baseTitle(b compare.Basis) string {
	switch b {
	case compare.BasisPaired:
		return "Change, by repeat"
	case compare.BasisWire:
		return "Change, by wire"
	}
	return "Change, as measured"
}

// trial names a trial in a few letters: "uplink lat. 1k".
func trial(f compare.Figure) string {
	if f.Kind == record.KindLatency {
		return fmt.Sprintf("%s lat. %s", f.Direction, f.Load)
	}
	return fmt.Sprintf("%s %s", f.Direction, f.Load)
}
