package rates

import (
	"math"
	"testing"

	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/record"
)

func foundGoals(direction record.Direction, repeat int, valid bool, ndr, pdr float64, limit record.Limit) record.Search {
	return record.Search{
		Direction: direction, Repeat: repeat, Judgement: record.Judgement{LimitedBy: limit},
		Goals: []record.SearchGoal{
			{Name: record.GoalNDR, LowerPPS: ndr, Judgement: record.Judgement{LimitedBy: limit, Valid: valid}},
			{Name: record.GoalPDR, LossRatio: 0.005, LowerPPS: pdr, Judgement: record.Judgement{LimitedBy: limit, Valid: valid}}},
	}
}

// TestRatesThatWireIsAsked: those that are valid, of UPFs and of the repeat, the highest
// first; with a margin of 5 %.
func TestRatesThatWireIsAsked(t *testing.T) {
	r := &kit.Book{Result: &record.Result{DUTs: []record.DUT{
		{Name: "wire", Reference: true, Searches: []record.Search{foundGoals("uplink", 1, true, 9e6, 9e6, "link")}},
		{Name: "a", Searches: []record.Search{foundGoals("uplink", 1, true, 1e6, 1.5e6, "dut"), foundGoals("uplink", 2, true, 5e6, 5e6, "dut")}},
		{Name: "b", Searches: []record.Search{foundGoals("downlink", 1, true, 1.2e6, 1.3e6, "dut"),
			foundGoals("uplink", 1, false, 4e6, 4e6, "dut")}},
	}}}
	var got []float64
	for _, f := range FoundRates(r, 1) {
		got = append(got, f.load()*0.95)
	}
	want := []float64{1.5e6, 1.3e6, 1.2e6, 1e6}
	if len(got) != len(want) {
		t.Fatalf("%v, want %v", got, want)
	}
	for i := range want {
		if math.Abs(got[i]-want[i]) > 1 {
			t.Errorf("%v, want %v", got, want)
		}
	}
}

// TestWireAnswersForLowerLoads: a load of which wire loses nothing answers for all lower
// ones of that direction; one of which it loses a little does so only for the goals that
// allow as much.
func TestWireAnswersForLowerLoads(t *testing.T) {
	up, down := foundGoals("uplink", 1, true, 1e6, 1.5e6, "dut"), foundGoals("downlink", 1, true, 1e6, 1.5e6, "dut")
	pdr := foundRate{&up, &up.Goals[1]}
	for _, c := range []struct {
		story string
		wire  record.WireCarries
		of    foundRate
		want  bool
	}{
		{"nothing was lost", record.WireCarries{Carried: true}, foundRate{&up, &up.Goals[0]}, true},
		{"as much as this goal allows", record.WireCarries{Carried: true, LossRatio: 0.004}, foundRate{&up, &up.Goals[1]}, true},
		{"more than the other one allows", record.WireCarries{Carried: true, LossRatio: 0.004}, foundRate{&up, &up.Goals[0]}, false},
		{"it was not carried", record.WireCarries{LossRatio: 0.02}, foundRate{&up, &up.Goals[1]}, false},
		{"another direction", record.WireCarries{Carried: true}, foundRate{&down, &down.Goals[0]}, false},
	} {
		pdr.goal.Wire = &c.wire
		if _, got := answered([]foundRate{pdr}, c.of); got != c.want {
			t.Errorf("%s: %v", c.story, got)
		}
	}
}

// TestWhatWireSaysOfARate: where wire fails as well the rate is a lower bound, and where it
// carries more, what the ring before the UPF lost is the UPF's doing.
func TestWhatWireSaysOfARate(t *testing.T) {
	for _, c := range []struct {
		story     string
		was, want record.Limit
		wire      record.WireCarries
		reasons   int
	}{
		{"wire carries more", record.LimitLink, record.LimitDUT, record.WireCarries{Carried: true}, 0},
		{"and the UPF was full", record.LimitDUT, record.LimitDUT, record.WireCarries{Carried: true}, 0},
		{"but the host had paused", record.LimitHost, record.LimitHost, record.WireCarries{Carried: true}, 0},
		{"and it is not known what lost so few packets", "", "", record.WireCarries{Carried: true}, 0},
		{"wire does not", record.LimitDUT, record.LimitLink, record.WireCarries{LossRatio: 0.1, LimitedBy: record.LimitLink}, 1},
		{"the generator does not", record.LimitDUT, record.LimitGenerator, record.WireCarries{LimitedBy: record.LimitGenerator}, 1},
	} {
		s := foundGoals("uplink", 1, true, 1e6, 1.5e6, c.was)
		foundRate{&s, &s.Goals[0]}.apply(c.wire)
		g := s.Goals[0]
		if g.LimitedBy != c.want || s.LimitedBy != c.want || len(g.Reasons) != c.reasons ||
			len(g.ReasonCodes) != c.reasons || g.Wire == nil || !g.Valid {
			t.Errorf("%s: %+v, the search limited by %q", c.story, g, s.LimitedBy)
		}
	}
}
