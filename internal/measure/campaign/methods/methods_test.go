package methods

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

func TestGoalsBesideThePresets(t *testing.T) {
	s := scenariotest.Open(t, "ndr", "search.goals=loose:0.01,ndr:0.00001", "search.budget=5m").Search
	s.Goals = append(s.Goals,
		scenario.Goal{Name: "slow", ExceedRatio: 0, FinalDuration: scenario.Duration{Duration: 10 * time.Second},
			Width: 0.01})
	m, err := MLRsearch(s, search.Conditions{})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, g := range m.Goals {
		names = append(names, g.Name)
	}
	if !slices.Equal(names, []string{"ndr", "pdr", "loose", "slow"}) {
		t.Fatalf("goals %v", names)
	}
	if g := m.Goals[0]; g.LossRatio != 0.00001 || g.ExceedRatio != 0.5 || g.Width != 0.005 {
		t.Errorf("ndr of the user's: %+v", g)
	}
	if g := m.Goals[3]; g.FinalTrialDuration != 10*time.Second || g.DurationSum != 10*time.Second ||
		g.ExceedRatio != 0 || g.InitialTrialDuration != 250*time.Millisecond {
		t.Errorf("slow: %+v", g)
	}
	if m.Limits.Budget != 5*time.Minute || m.MinPPS != 10e3 || m.MaxPPS != 10e6 {
		t.Errorf("%+v", m)
	}
}

func TestDurationsOfPresets(t *testing.T) {
	for _, c := range []struct {
		sets          []string
		trial, curve  time.Duration
		bursts, tries int
	}{
		{[]string{"search.preset=quick"}, 2 * time.Second, time.Second, 3, 0},
		{[]string{"search.preset=csit", "search.burst_repeats=7"}, 10 * time.Second, 5 * time.Second, 7, 0},
		{[]string{"search.preset=rfc2544"}, time.Minute, time.Minute, 50, 0},
		{[]string{"search.preset=rfc2544", "search.duration=3s", "search.attempts=4"}, 3 * time.Second, 3 * time.Second, 50, 4},
	} {
		s := scenariotest.Open(t, "ndr", c.sets...).Search
		x, err := Throughput(s, scenario.MethodTST009, search.Conditions{})
		y, err2 := LossCurve(s, search.Conditions{})
		b, _, err3 := BackToBack(s, search.Conditions{}, 1e6, 80e3)
		if err := errors.Join(err, err2, err3); err != nil {
			t.Fatal(err)
		}
		if x.Duration != c.trial || y.Duration != c.curve || b.Searches != c.bursts || c.tries > 0 && x.Verification.Trials != c.tries {
			t.Errorf("%v: throughput %v, curve %v, %d searches, %d tries", c.sets, x.Duration, y.Duration, b.Searches, x.Verification.Trials)
		}
	}
}

func TestStepsBelowWhatTheGeneratorReaches(t *testing.T) {
	x := Stepped(search.Throughput{MinPPS: 1000}, 2_000_000, 0)
	if x.MaxPPS != 2_000_000 || x.StepPPS != 200 {
		t.Errorf("%+v", x)
	}
	if x := Stepped(search.Throughput{MinPPS: 1000}, 900, 500); x.MaxPPS != 1001 || x.StepPPS != 1 {
		t.Errorf("a generator below the lowest load: %+v", x)
	}
}
