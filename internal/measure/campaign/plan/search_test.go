package plan

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/duttest"
	"github.com/upflab/upflab/internal/measure/campaign/methods"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

func TestMethodsInOrder(t *testing.T) {
	for _, c := range []struct {
		story string
		set   string
		wire  string // "": a UPF
		want  []scenario.Method
	}{
		{"the usual one", "search.method=mlrsearch", "", []scenario.Method{"mlrsearch"}},
		{"the order of the user", "search.method=loss-curve,tst009", "", []scenario.Method{"loss-curve", "tst009"}},
		{"bursts need a rate", "search.method=loss-curve,back-to-back", "", []scenario.Method{"loss-curve", methods.Forwarding, "back-to-back"}},
		{"and take one that was found before", "search.method=mlrsearch,back-to-back", "", []scenario.Method{"mlrsearch", "back-to-back"}},
		{"but not one that comes after", "search.method=back-to-back,rfc2544", "",
			[]scenario.Method{methods.Forwarding, "back-to-back", "rfc2544"}},
		{"wire has no buffer", "search.method=back-to-back,rfc2544", "alone", []scenario.Method{"rfc2544"}},
		{"wire is not searched beside a UPF", "search.method=mlrsearch,rfc2544,tst009,back-to-back", "beside", nil},
		{"but its loss over load is shown", "search.method=mlrsearch,loss-curve", "beside", []scenario.Method{"loss-curve"}},
	} {
		s := scenariotest.Open(t, "ndr", c.set)
		got := methods.Of(s.Search)
		p := Plan{Targets: []dut.Target{{Driver: duttest.None{Name: "wire"}}}}
		switch c.wire {
		case "beside":
			p.Targets = append(p.Targets, dut.Target{Driver: duttest.None{Name: "builtin"}, Mode: "xdp"})
			got = p.OfWire(got)
		case "alone":
			got = p.OfWire(got)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.story, got, c.want)
		}
	}
	if got := methods.Directions(scenariotest.Open(t, "quick")); got != nil {
		t.Errorf("a scenario that does not search does so in %v", got)
	}
}

// TestOutlineSaysHowLongASearchTakes: the scenario's budget, or else the longest of its methods' presets.
func TestOutlineSaysHowLongASearchTakes(t *testing.T) {
	for sets, want := range map[string]string{
		"search.method=mlrsearch":            "trials each, at most 50s",
		"search.method=mlrsearch,loss-curve": "trials each, at most 2m0s",
		"search.budget=5m":                   "trials each, at most 5m0s",
	} {
		p := Plan{Scenario: scenariotest.Open(t, "ndr", sets), Targets: []dut.Target{{Driver: duttest.None{Name: "upf"}}}}
		if open := p.Outline().Open; len(open) != 1 || !strings.HasSuffix(open[0], want) {
			t.Errorf("%s: %q, want one that ends in %q", sets, open, want)
		}
	}
}

func TestSearchesThatCannotBe(t *testing.T) {
	s := scenariotest.Open(t, "ndr")
	s.Search.Goals = []scenario.Goal{{Name: "odd", ExceedRatio: -1, InitialDuration: scenario.Duration{Duration: time.Minute}}}
	if err := (&Plan{Scenario: s}).Check(); !errors.Is(err, search.ErrSettings) {
		t.Errorf("an initial trial longer than the final: %v", err)
	}
	for _, name := range []string{"ndr", "rfc2544", "loss-curve", "back-to-back", "quick"} {
		if err := (&Plan{Scenario: scenariotest.Open(t, name)}).Check(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
