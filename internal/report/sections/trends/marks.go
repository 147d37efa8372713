package trends

import (
	"math"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/history"
)

// mark is a note that somebody wrote, about a run or a day.
type mark struct {
	at   time.Time
	run  *history.Run // nil: it is about a day
	text string
}

// noted are the notes, without those of runs that were removed.
func (h History) noted() (list []mark) {
	runs := map[string]*history.Run{}
	for _, r := range h.Runs {
		runs[r.Path] = r
	}
	for _, n := range h.Marks {
		m := mark{at: n.At, text: block.Printable(n.Text)}
		if n.Path != "" {
			if m.run = runs[n.Path]; m.run == nil {
				continue
			}
			m.at = m.run.Started
		}
		list = append(list, m)
	}
	return list
}

// marks is the list of the notes.
func (h History) marks() block.Section {
	t := block.Table{Columns: []block.Column{block.Words("When"), block.Prose("Note")}}
	for _, m := range h.noted() {
		when := block.T(m.at.Format(time.DateOnly))
		if m.run != nil {
			when = h.runCell(m.run)
		}
		t.Rows = append(t.Rows, block.Row{Cells: []block.Cell{when, block.T(m.text)}})
	}
	if len(t.Rows) == 0 {
		return block.Section{}
	}
	return block.Section{Title: "Notes", Blocks: []block.Block{t}}
}

// rule draws lines across a view of series: upright ones for the notes of the time that these span, and
// level ones for their thresholds. One that is far from all values would press these together: it is in
// the view's note.
func (g *group) rule(h History, v *block.View, list []*history.Series) {
	p := &v.Panels[0]
	if !h.ByVersion {
		p.Rules = g.markRules(h.span(list))
	}
	rules, far := limits(list, p.Series)
	p.Rules, v.Note = append(p.Rules, rules...), strings.Join(far, "; ")
}

// span is from the first of the runs that a page shows of series to the last.
func (h History) span(list []*history.Series) (first, last time.Time) {
	for i, s := range list {
		from, to := h.shown(s)
		if begun := s.Points[from].Run.Started; i == 0 || begun.Before(first) {
			first = begun
		}
		if ended := s.Points[to-1].Run.Started; ended.After(last) {
			last = ended
		}
	}
	return first, last
}

// markRules are the notes of a span of time as upright lines.
func (g *group) markRules(first, last time.Time) (list []block.Rule) {
	for _, m := range g.marks {
		if m.at.Before(first.AddDate(0, 0, -1)) || m.at.After(last) { // a day's note is for the runs of the day, too
			continue
		}
		const rows, longest = 3, 28
		text := []rune(m.text)
		if len(text) > longest {
			text = append(text[:longest-1], '…')
		}
		x := block.Num(max(m.at.Unix(), first.Unix()))
		list = append(list, block.Rule{X: &x, Text: string(text), Row: 1 + len(list)%rows, Dashed: true})
	}
	return list
}

// limits are the thresholds on series as level lines, one for all that have it, and those that are far
// from all values. Figures by wire have none.
func limits(list []*history.Series, values []block.Series) (rules []block.Rule, far []string) {
	const times = 3
	least, most := extent(values)
	for _, s := range list {
		if s.ByWire {
			continue
		}
		for _, l := range s.Limits() {
			y, text := block.Num(l.Value), block.Printable(l.Text)
			switch beyond := "beyond the chart: " + text; {
			case l.Value > times*most || l.Value < least/times:
				if !slices.Contains(far, beyond) {
					far = append(far, beyond)
				}
			case !slices.ContainsFunc(rules, func(r block.Rule) bool { return *r.Y == y && r.Text == text }):
				rules = append(rules, block.Rule{Y: &y, Text: text})
			}
		}
	}
	return rules, far
}

// extent is that of the points of series along y.
func extent(values []block.Series) (least, most float64) {
	least, most = math.Inf(1), math.Inf(-1)
	for _, s := range values {
		if s.Mark == "" { // the line through points
			continue
		}
		for _, q := range s.Data {
			least, most = min(least, q.Y), max(most, q.Y)
		}
	}
	return least, most
}
