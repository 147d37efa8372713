package report

import (
	"fmt"
	"strings"
)

// searchColumn is one of the table of searches.
type searchColumn struct {
	Head  string
	Width int
	Right bool
	Of    func(goalView) string
}

// searchColumns are 99 characters together.
func searchColumns() []searchColumn {
	return []searchColumn{
		{"  search", 10, false, func(g goalView) string { return "  " + string(g.Search.Direction) }},
		{"goal", 17, false, func(g goalView) string { return g.Title }},
		{"loss", 6, true, func(g goalView) string { return g.LossText }},
		{"kpps", 9, true, goalView.KppsText},
		{"Gbit/s", 8, true, goalView.GbpsText},
		{"cond. kpps", 10, true, goalView.ConditionalText},
		{"limited by", 10, false, goalView.Limited},
		{"trials", 6, true, func(g goalView) string { return fmt.Sprint(g.Search.TrialCount()) }},
		{"s", 6, true, func(g goalView) string { return g.Search.Took() }},
		{"valid", 5, false, goalView.ValidWord},
	}
}

func searchLine(of func(searchColumn) string) string {
	var cells []string
	for _, c := range searchColumns() {
		cells = append(cells, pad(of(c), c.Width, c.Right))
	}
	return strings.Join(cells, " ")
}

// searches is the block of what a DUT's searches found.
func (t *text) searches(d dutView) {
	if len(d.Found) == 0 {
		return
	}
	t.linef("%s", searchLine(func(c searchColumn) string { return c.Head }))
	size := ""
	for _, s := range d.Found {
		if d.sized && s.SizeName() != size {
			size = s.SizeName()
			t.linef("  %s", "-- "+size)
		}
		for _, g := range s.Goals {
			t.linef("%s", searchLine(func(c searchColumn) string { return c.Of(g) }))
			t.goalDoubts(g)
		}
		if len(s.Goals) == 0 {
			t.say("    ! ", string(s.Direction)+": "+s.Nothing())
		}
	}
}

// goalDoubts tells the bounds of a goal without a rate, and the reasons.
func (t *text) goalDoubts(g goalView) {
	lead := "    ! not valid"
	if g.Standing == standsNot {
		t.say(lead+repeatName(g.Search)+": ", fmt.Sprintf("bounds %s kpps; %s", g.BoundsText(), g.Why()))
		return
	}
	if g.Standing == standsAsBound {
		lead = "    ! at least"
	}
	if g.Valid {
		lead = "    note"
	}
	if why := g.Why(); why != "" {
		t.say(lead+repeatName(g.Search)+": ", why)
	}
}

func repeatName(s *searchView) string {
	if s.Repeat < 2 {
		return ""
	}
	return fmt.Sprintf(" (repeat %d)", s.Repeat)
}
