package view

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/units"
)

// TestWorth has a story for each thing that a search may end with.
func TestWorth(t *testing.T) {
	for _, c := range []struct {
		story     string
		goal      record.SearchGoal
		reference bool
		kpps      string
		note      string
	}{
		{"the DUT is the limit", goal(1e6, 1.005e6, "dut", true), false, "1000.00", "its own limit"},
		{"the ring in front of it loses first", goal(1e6, 1.005e6, "link", true), false, "≥ 1000.00", "bench-limited"},
		{"what limited it is not known", goal(1e6, 1.005e6, "", true), false, "≥ 1000.00", "limit unknown"},
		{"the reference has no limit of its own", goal(1e6, 1.005e6, "link", true), true, "1000.00", "what the bench carries"},
		{"the generator gives out above", goal(1e6, 3e6, "generator", false), false, "≥ 1000.00", "its limit was not found"},
		{"the highest load is carried", goal(5e6, 0, "none", false), false, "≥ 5000.00", "its limit was not found"},
		{"the same for the reference", goal(5e6, 0, "none", false), true, "≥ 5000.00", "its limit was not found"},
		{"stopped on the way up", goal(1e6, 0, "none", false), false, "not valid", "not valid"},
		{"the device changed meanwhile", goal(1e6, 1.005e6, "dut", false), false, "not valid", "not valid"},
		{"not even the lowest load is carried", goal(0, 1e4, "dut", false), false, "not valid", "not valid"},
		{"nothing at all", goal(0, 0, "", false), false, "not valid", "not valid"},
		{"valid without a bound is not believed", goal(0, 0, "dut", true), false, "not valid", "not valid"},
	} {
		s := &Search{Search: &record.Search{MaxPPS: 5e6, PacketSize: record.PacketSize{FrameBytes: 1000}},
			UPF: &UPF{DUT: &record.DUT{Reference: c.reference}}}
		g := newGoal(s, &c.goal)
		if g.Rate(units.Kpps) != c.kpps || g.Note() != c.note {
			t.Errorf("%s: %q, %q; want %q, %q", c.story, g.Rate(units.Kpps), g.Note(), c.kpps, c.note)
		}
		if g.Worth == NoRate && (g.Bits() != units.None || g.Conditional() != units.None) {
			t.Errorf("%s: a number is given: %s Gbit/s, %s kpps", c.story, g.Bits(), g.Conditional())
		}
	}
}

func goal(lower, upper float64, limit record.Limit, valid bool) record.SearchGoal {
	return record.SearchGoal{Name: record.GoalNDR, LowerPPS: lower, UpperPPS: upper, ConditionalPPS: lower,
		Judgement: record.Judgement{LimitedBy: limit, Valid: valid}}
}

func TestHeadlineIsTheMedianOfWhatWasFound(t *testing.T) {
	var searches []record.Search
	for i, g := range []record.SearchGoal{goal(1e6, 1.005e6, "dut", true), goal(9e6, 9.1e6, "dut", false), goal(1.2e6, 1.21e6, "link", true)} {
		searches = append(searches, record.Search{
			Direction: "uplink", Repeat: i + 1, MaxPPS: 1e7, PacketSize: record.PacketSize{FrameBytes: 1000},
			Goals: []record.SearchGoal{g},
		})
	}
	d := newUPF(&record.DUT{Name: "upf", Searches: searches}, 0)
	f := d.Goal("uplink", record.GoalNDR)
	if f.Mpps.Text != "≥ 1.10" || f.Mpps.Range != "1.00..1.20" || !f.Known {
		t.Errorf("%+v", f)
	}
	if f := d.Goal("downlink", record.GoalNDR); f.Searched || f.Known {
		t.Errorf("not searched: %+v", f)
	}
}

// TestBounds: a search that failed says what it knows.
func TestBounds(t *testing.T) {
	for _, c := range []struct {
		goal record.SearchGoal
		want string
	}{
		{record.SearchGoal{}, "no bound was established"},
		{record.SearchGoal{LowerPPS: 1e6, UpperPPS: 1.005e6, LastLowerPPS: 1e6, LastUpperPPS: 1.005e6}, "bounds 1000.00 to 1005.00 kpps"},
		{record.SearchGoal{LowerPPS: 1e6, LastLowerPPS: 1e6, LastUpperPPS: 1.1e6}, "bounds 1000.00 to 1100.00 kpps by shorter trials"},
		{record.SearchGoal{LastLowerPPS: 1e6, LastUpperPPS: 1.1e6}, "bounds 1000.00 to 1100.00 kpps by shorter trials"},
		{record.SearchGoal{LowerPPS: 1e6, LastLowerPPS: 1e6}, "bounds at least 1000.00 kpps"},
		{record.SearchGoal{UpperPPS: 1e6}, "bounds below 1000.00 kpps"}, // of a result without the last ones
	} {
		if got := BoundsWords(&c.goal); got != c.want {
			t.Errorf("%+v: %q, want %q", c.goal, got, c.want)
		}
	}
}
