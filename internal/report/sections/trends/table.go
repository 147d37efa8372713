package trends

import (
	"fmt"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/units"
)

// table is a row for each series.
func (g *group) table() block.Table {
	t := block.Table{Columns: []block.Column{block.Merged("UPF"), block.Words("Figure"), block.Number("Runs", ""), block.Number("Now", ""),
		block.Number("Last change", ""), block.Number("Noise", "from run to run").In(block.Pages),
		block.Number("Smallest step", "found in 5 runs").In(block.Pages)}}
	for _, s := range g.series {
		t.Rows = append(t.Rows, row(s))
	}
	return t.WithoutBlankColumns()
}

func row(s *history.Series) block.Row {
	last := s.Points[len(s.Points)-1]
	value := last.Sign + comparison.Value(s.Metric, last.Value)
	change := block.T(units.Blank)
	if n := len(s.Changes); n > 0 {
		change = block.Cell{Text: comparison.Change(s.Metric, s.Changes[n-1].Ratio), Tone: block.Good}
		if s.Changes[n-1].Worse {
			change.Tone = block.Bad
		}
	}
	noise, step := units.None, units.None
	if s.Noise > 0 {
		noise, step = percent(s.Noise), percent(s.SmallestStep())
	}
	r := block.Row{Cells: []block.Cell{{Text: label(s), Note: block.Printable(last.Version)}, block.T(figureName(s)),
		block.T(fmt.Sprint(len(s.Points))),
		block.T(value), change, block.T(noise), block.T(step)}}
	if s.ByWire {
		r.Cells[5].Note = "by wire"
	}
	if s.Reference {
		r.Tone = block.Muted
	}
	return r
}

// percent has two digits, of large ratios all before the point.
func percent(ratio float64) string {
	if ratio >= 1 {
		return fmt.Sprintf("%.0f %%", 100*ratio)
	}
	return fmt.Sprintf("%.2g %%", 100*ratio)
}
