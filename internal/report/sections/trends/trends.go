// Package trends has the sections of a report on all results of a folder: what changed
// comes first, then each figure over the runs, then the runs.
package trends

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/results/history"
	"github.com/upflab/upflab/internal/text/units"
)

// History is what a report is made from.
type History struct {
	Folder string
	Runs   []*history.Run    // oldest first
	Series []*history.Series // references last
	Notes  []string          // of the index
	// Causes says what else was different between the two runs around a change; nil:
	// unknown.
	Causes func(s *history.Series, c history.Change) []string
	// State is that of the index that it was read from (history.Index.Changes).
	State int64
	// Newest is how many points, and rows of runs, pages show, the newest ones; 0: all.
	Newest int
	// All says how a reader gets those that Newest leaves out; "": there is no way.
	All string
	// Link is the address of a run's report; nil: there is none. Running reports whether a run
	// goes on; nil: none does.
	Link    func(r *history.Run) string
	Running func(r *history.Run) bool
	// Marks are the notes that people wrote into the folder.
	Marks []history.Note
	// ByVersion is true where charts are along versions in place of dates.
	ByVersion bool
	// Pins are figures that come first. Pin is the link by which a reader pins one, or takes the pin
	// off; nil: there is none.
	Pins []compare.Metric
	Pin  func(m compare.Metric) block.Link
	// Only chooses the runs that pages list and the points that they show.
	Only Choice
}

// Report is the report of a history.
func Report(h History) block.Document {
	d := block.Document{Title: "History of " + block.Printable(h.Folder), Meta: h.meta(), Maker: "upflab"}
	groups := h.groups()
	d.Sections = append(d.Sections, h.pinned(groups), h.changes(), h.marks(), h.unreadable())
	for _, g := range groups {
		d.Sections = append(d.Sections, g.section(h))
	}
	d.Sections = append(d.Sections, h.runs())
	return d
}

// Overview is what changed, and the runs, without the figures.
func Overview(h History) block.Document {
	d := block.Document{Title: "Runs of " + block.Printable(h.Folder), Meta: h.meta(), Maker: "upflab"}
	d.Sections = append(d.Sections, h.changes(), h.unreadable(), h.runs())
	return d
}

func (h History) meta() []block.Fact {
	facts := []block.Fact{{Name: "Runs", Value: fmt.Sprint(len(h.Runs))}, {Name: "Figures", Value: fmt.Sprint(len(h.Series))}}
	if n := len(h.Runs); n > 0 {
		facts = append(facts, block.Fact{Name: "Last", Value: units.Instant(h.Runs[n-1].Started)})
	}
	return facts
}

// group is the series of one scenario on one machine.
type group struct {
	scenario, machine string
	series            []*history.Series
	marks             []mark // of the whole history
}

func (h History) groups() (list []*group) {
	marks := h.noted()
	for _, s := range h.Series {
		var of *group
		for _, g := range list {
			if g.scenario == s.Scenario && g.machine == s.Machine {
				of = g
			}
		}
		if of == nil {
			of = &group{scenario: s.Scenario, machine: s.Machine, marks: marks}
			list = append(list, of)
		}
		of.series = append(of.series, s)
	}
	for _, g := range list {
		g.series = compared(g.series)
	}
	return list
}

// compared leaves out figures of references that no UPF has: at loads that are a share of a UPF's rate,
// which are others in each run. They stay where nothing but references was measured.
func compared(all []*history.Series) []*history.Series {
	like := func(s *history.Series) history.Key { k := s.Key; k.DUT = ""; return k }
	of := map[history.Key]bool{}
	for _, s := range all {
		if !s.Reference {
			of[like(s)] = true
		}
	}
	if len(of) == 0 {
		return all
	}
	return slices.DeleteFunc(slices.Clone(all), func(s *history.Series) bool { return s.Reference && !of[like(s)] })
}

func (g *group) section(h History) block.Section {
	s := block.Section{Title: block.Printable(g.scenario + " on " + g.machine)}
	for _, m := range compare.Metrics() {
		if slices.Contains(h.Pins, m) {
			continue
		}
		if f := g.figure(h, m); !f.Empty() {
			s.Blocks = append(s.Blocks, f)
		}
	}
	s.Blocks = append(s.Blocks, block.Section{Title: "All figures", Fold: true, Blocks: []block.Block{g.table()}})
	return s
}

// pinned are the charts of the figures that come first.
func (h History) pinned(groups []*group) block.Section {
	s := block.Section{Title: "Pinned", Only: block.HTML}
	for _, m := range h.Pins {
		for _, g := range groups {
			if f := g.figure(h, m); !f.Empty() {
				f.Title += ": " + block.Printable(g.scenario)
				s.Blocks = append(s.Blocks, f)
			}
		}
	}
	return s
}
