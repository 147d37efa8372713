package trends

import (
	"fmt"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/comparison"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/units"
)

// shownChanges is how many changes a terminal lists.
const shownChanges = 12

// causesMost is how many differences of two runs are listed.
const causesMost = 6

// changes lists the changes of level, newest first; those of references come last and
// are the machine's.
func (h History) changes() block.Section {
	type found struct {
		s *history.Series
		c history.Change
	}
	var list []found
	for _, s := range h.Series {
		for _, c := range s.Changes {
			list = append(list, found{s, c})
		}
	}
	slices.SortStableFunc(list, func(a, b found) int {
		if a.s.Reference != b.s.Reference {
			if a.s.Reference {
				return 1
			}
			return -1
		}
		return b.s.Points[b.c.At].Run.Started.Compare(a.s.Points[a.c.At].Run.Started)
	})
	out := block.Section{Title: "What changed", Hint: "Where the level of a figure changed, by segmentation of its series; newest first. " +
		"One run alone makes no change: it takes three, and a step of 2.25 times the noise is found within five runs in nine cases of ten."}
	if len(list) == 0 {
		out.Blocks = append(out.Blocks, block.Note{Text: h.nothing()})
		return out
	}
	t := block.Table{Columns: []block.Column{block.Key("Since"), block.Number("Change", ""), block.Prose("UPF"), block.Prose("Figure"),
		block.Number("Runs since", ""), block.Prose("With it")}}
	for i, f := range list {
		row := h.changeRow(f.s, f.c)
		if i >= shownChanges || f.s.Reference {
			row.Only = block.Pages
		}
		t.Rows = append(t.Rows, row)
	}
	out.Blocks = append(out.Blocks, t)
	if len(list) > shownChanges {
		out.Blocks = append(out.Blocks,
			block.Note{Text: "Older changes, and those of wire, are on the page (--html) and in --format markdown.",
				Only: block.Text})
	}
	return out
}

func (h History) nothing() string {
	longest := 0
	for _, s := range h.Series {
		longest = max(longest, len(s.Points))
	}
	if longest < enoughRuns {
		return fmt.Sprintf("Too few runs to tell: the longest series has %s, and it takes %d.", units.Plural(longest, "run"), enoughRuns)
	}
	return "No figure changed its level."
}

// enoughRuns is what a division of a series takes.
const enoughRuns = 6

func (h History) changeRow(s *history.Series, c history.Change) block.Row {
	p := s.Points[c.At]
	tone := block.Good
	if c.Worse {
		tone = block.Bad
	}
	change := comparison.Change(s.Metric, c.Ratio)
	if s.ByWire {
		change += " by wire"
	}
	row := block.Row{Cells: []block.Cell{h.runCell(p.Run), {Text: change, Tone: tone}, block.T(label(s)), block.T(figureName(s)),
		block.T(fmt.Sprint(s.Runs(c))), block.T(h.causes(s, c))}}
	if s.Reference {
		row.Tone = block.Muted
	}
	return row
}

func label(s *history.Series) string { return block.Printable(s.DUT) }

// figureName is "uplink 150k, 1400 B: latency p99".
func figureName(s *history.Series) string {
	return block.Printable(compare.Where(s.Kind, s.Direction, s.Load)) + ": " + comparison.MetricTitle(s.Metric)
}

func (h History) causes(s *history.Series, c history.Change) string {
	if h.Causes == nil {
		return ""
	}
	list := h.Causes(s, c)
	if len(list) == 0 {
		return "nothing that upflab knows of"
	}
	if more := len(list) - causesMost; more > 0 {
		list = append(list[:causesMost:causesMost], fmt.Sprintf("%d more", more))
	}
	return block.Printable(strings.Join(list, "; "))
}
