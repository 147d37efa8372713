package trends

import (
	"math"
	"time"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/history"
)

// marks is the list of the notes that people wrote.
func (h History) marks() block.Section {
	t := block.Table{Columns: []block.Column{block.Words("When"), block.Prose("Note")}}
	for _, m := range h.Marks {
		when := block.T(m.At.Format(time.DateOnly))
		if r := h.markedRun(m); r != nil {
			when = h.runCell(r)
		} else if m.Path != "" {
			continue // its run was removed
		}
		t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{when, block.T(block.Printable(m.Text))}})
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Notes", Blocks: []block.Block{t}}
}

// markedRun is the run that a note is about; nil: it is about a day, or the run is gone.
func (h History) markedRun(m history.Note) *history.Run {
	for _, r := range h.Runs {
		if m.Path != "" && r.Path == m.Path {
			return r
		}
	}
	return nil
}

// markRules are the notes of the time that a series spans, as upright lines.
func (h History) markRules(s *history.Series) (list []block.Rule) {
	from, to := h.shown(s)
	first, last := s.Points[from].Run.Started, s.Points[to-1].Run.Started
	for _, m := range h.Marks {
		at := m.At
		if r := h.markedRun(m); r != nil {
			at = r.Started
		}
		if at.Before(first.AddDate(0, 0, -1)) || at.After(last) { // a day's note is for the runs of the day, too
			continue
		}
		const rows, longest = 3, 28
		text := []rune(block.Printable(m.Text))
		if len(text) > longest {
			text = append(text[:longest-1], '…')
		}
		x := block.Num(max(at.Unix(), first.Unix()))
		list = append(list, block.Rule{X: &x, Text: string(text), Row: 1 + len(list)%rows, Dashed: true})
	}
	return list
}

// limits are the thresholds on a series, as level lines; one that is far from all values would
// press these together: it is in the view's note. Figures by wire have none.
func limits(s *history.Series, data []block.Point) (list []block.Rule, far []string) {
	if s.ByWire || len(data) == 0 {
		return nil, nil
	}
	const times = 3
	least, most := math.Inf(1), math.Inf(-1)
	for _, q := range data {
		least, most = min(least, q.Y), max(most, q.Y)
	}
	for _, l := range s.Limits() {
		text := block.Printable(l.Text)
		if l.Value > times*most || l.Value < least/times {
			far = append(far, "beyond the chart: "+text)
			continue
		}
		y := block.Num(l.Value)
		list = append(list, block.Rule{Y: &y, Text: text})
	}
	return list, far
}
