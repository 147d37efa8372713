// Package searches has the sections of a report that are made from searches: rates,
// loss curves, bursts. Each file is a section.
package searches

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Rates is what searches found: a table for each direction, then the circumstances,
// the standard's name and the reasons in full.
func Rates(v *view.Run) block.Section {
	if !v.Searched {
		return block.Section{}
	}
	s := block.Section{Title: title(v),
		Hint: "The highest offered load at which no more than the goal's share of frames is lost, found by a " +
			"search. Gbit/s " +
			"count the frames as sent. The conditional throughput is what typically arrives at that load. The bounds " +
			"are the relevant lower and the relevant " +
			"upper bound. An irregular result lacks one of them, or they are further apart than the goal asks (terms of RFC 9971)."}
	about, doubts := block.List{Only: block.Pages}, block.List{Only: block.Text}
	for _, direction := range v.Directions {
		found := v.RateSearches(direction)
		if len(found) > 0 {
			s.Blocks = append(s.Blocks, rateTable(direction, found))
		}
		for _, one := range found {
			found := doubtsOf(one)
			about.Items = append(about.Items, block.Item{Text: one.About(), Sub: found})
			for _, item := range found {
				doubts.Items = append(doubts.Items, block.Item{Label: string(direction) + ", " + one.Name() + ", " + item.Label, Text: item.Text})
			}
		}
	}
	s.Blocks = append(s.Blocks, about)
	if len(doubts.Items) > 0 {
		s.Blocks = append(s.Blocks, doubts)
	}
	return s
}

// title names what was searched. A standard's name is with the results that may carry
// it.
func title(v *view.Run) string {
	for _, d := range v.UPFs {
		for _, s := range d.Rates {
			if s.Method != record.MethodMLRsearch {
				return "Rates found by searches"
			}
		}
	}
	return "Non-drop rate and partial drop rate (MLRsearch)"
}

func rateTable(direction record.Direction, found []*view.Search) block.Table {
	t := block.Table{Title: string(direction), Columns: []block.Column{block.Merged("UPF"), block.Words("Rate"), block.Number("Loss", "goal"),
		block.Number("Found", "kpps"), block.Number("as sent", "Gbit/s"), block.Number("Cond.", "kpps"),
		block.Number("Bounds", "kpps").In(block.Pages),
		block.Number("Trials", ""), block.Number("Time", "s"), block.Words("Limited by"), block.Words("Valid")}}
	asked := slices.ContainsFunc(found, func(s *view.Search) bool {
		return slices.ContainsFunc(s.Goals, func(g view.Goal) bool { return g.Wire != nil })
	})
	if asked {
		t.Columns = append(t.Columns, block.Words("Wire, 5 % above").In(block.Pages))
	}
	for _, s := range found {
		for _, g := range s.Goals {
			row := goalRow(g)
			if asked {
				row.Cells = append(row.Cells, block.T(wire(g)))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

func goalRow(g view.Goal) block.Row {
	s := g.Search
	row := block.Row{Tone: s.UPF.Tone()}
	rate := block.T(g.Rate(units.Kpps))
	if g.Worth == view.NoRate {
		row.Tone, rate.Tone = block.Bad, block.Bad
	}
	row.Cells = []block.Cell{{Text: s.Name(), Color: s.UPF.Color()}, block.T(g.Title()),
		block.T(units.Loss(g.LossRatio)), rate, block.T(g.Bits()),
		block.T(g.Conditional()), block.T(g.Bounds()), block.T(fmt.Sprint(len(s.Trials))), block.T(s.Took()),
		{Text: string(g.Limit()), Tone: view.LimitTone(g.LimitedBy)}, valid(g)}
	return row
}

// wire is whether wire carries the rate and a little more.
func wire(g view.Goal) string {
	switch w := g.Wire; {
	case w == nil:
		return units.None
	case w.Carried:
		return "carries " + units.Rate(w.PPS)
	default:
		return fmt.Sprintf("loses %s at %s", units.Loss(w.LossRatio), units.Rate(w.PPS))
	}
}

// valid is whether the rate is what the goal asks for.
func valid(g view.Goal) block.Cell {
	c := block.Cell{Text: "yes"}
	switch {
	case g.Valid:
		return c
	case g.Worth == view.LowerBound:
		c = block.Cell{Text: "no, at least", Short: "at least", Tone: block.Warn}
	default:
		c = block.Cell{Text: "no", Tone: block.Bad}
	}
	if g.Irregular() {
		c.Note, c.Short = "irregular", units.OrElse(c.Short, c.Text)
	}
	return c
}

// doubtsOf is what must be known of a search's results.
func doubtsOf(s *view.Search) (items []block.Item) {
	for _, g := range s.Goals {
		if why := g.Why(); why != "" {
			items = append(items, block.Item{Label: goalLabel(g), Text: why})
		}
	}
	if len(s.Goals) == 0 {
		items = []block.Item{{Label: "not valid", Text: units.OrElse(s.Why(), "the search gave no result and no reason")}}
	}
	return items
}

func goalLabel(g view.Goal) string {
	switch {
	case g.Valid:
		return g.Title() + ", note"
	case g.Worth == view.LowerBound:
		return g.Title() + ", at least"
	}
	return g.Title() + ", not valid, " + view.BoundsWords(g.SearchGoal)
}
