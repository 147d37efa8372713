package report

import (
	"fmt"
	"strings"
)

// searches is what searches found: a table for each direction, then the
// circumstances, the standard's name and the reasons in full.
func (m *markdown) searches(v view) {
	if !v.Searched {
		return
	}
	m.heading(v.searchTitle())
	m.linef("The highest offered load at which no more than the goal's share of frames is lost, found by a search. Gbit/s")
	m.linef("count the frames as sent. \"≥\": something other than the DUT limited the search, so the DUT does at least that.")
	m.linef("Bounds are the relevant lower and the relevant upper bound; an irregular result lacks one of them, or they are further apart than")
	m.linef("the goal asks (RFC 9971).")
	for _, direction := range v.Directions {
		if rows := v.searchCells(direction); len(rows) > 0 {
			m.linef("\n###%s %s\n", m.within, title(escape(direction)))
			m.table([]string{"UPF", "Goal", "Goal loss<br>ratio", "Rate<br>(kpps)", "<br>(Gbit/s)", "Conditional<br>throughput (kpps)",
				"Bounds<br>(kpps)", "Limited by", "Trials", "Time<br>(s)", "Valid"}, rows)
		}
	}
	m.linef("")
	for _, d := range v.DUTs {
		for _, s := range d.Found {
			m.searchDetail(s)
		}
	}
}

func (v view) searchCells(direction string) [][]string {
	var rows [][]string
	for _, d := range v.DUTs {
		for _, s := range d.Found {
			for _, g := range s.Goals {
				if string(s.Direction) == direction {
					rows = append(rows, goalCells(g))
				}
			}
		}
	}
	return rows
}

func goalCells(g goalView) []string {
	name := escape(g.Search.Name())
	if g.Search.Reference {
		name = "*" + name + "*"
	}
	valid := "yes"
	if !g.Valid {
		valid = strings.TrimSpace("**no** " + g.Irregular())
	}
	rate := g.KppsText()
	if g.Standing == standsNot {
		rate = "**not valid**"
	}
	return []string{name, escape(g.Title), g.LossText, rate, g.GbpsText(), g.ConditionalText(), g.BoundsText(),
		escape(g.Limited()), fmt.Sprint(g.Search.TrialCount()), g.Search.Took(), valid}
}

func (m *markdown) searchDetail(s *searchView) {
	m.linef("- %s, %s: %s.", escape(string(s.Direction)), escape(s.About()), escape(s.Named()))
	for _, g := range s.Goals {
		if why := g.Why(); why != "" {
			m.linef("  - %s: %s", escape(g.Title), escape(why))
		}
	}
	if len(s.Goals) == 0 {
		m.linef("  - **not valid**: %s", escape(s.Nothing()))
	}
}
