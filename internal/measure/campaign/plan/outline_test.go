package plan

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/duttest"
	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

// TestOutlineCountsEachSearch: a visit takes as long as all of its searches, of wire as of UPFs: beside
// UPFs wire is searched for its loss over load alone, by itself for rates, too.
func TestOutlineCountsEachSearch(t *testing.T) {
	takes := func(methods string, names ...string) time.Duration {
		p := Plan{Scenario: scenariotest.Open(t, "ndr", "search.method="+methods, "search.budget=60s")}
		for _, name := range names {
			p.Targets = append(p.Targets, dut.Target{Driver: duttest.None{Name: name}})
		}
		return p.Outline().Takes
	}
	// The directions of the scenario are two. MLRsearch takes its budget, others take half of it.
	for _, c := range []struct {
		story        string
		some, others time.Duration
		more         time.Duration
	}{
		{"a second method", takes("mlrsearch,loss-curve", "upf"), takes("mlrsearch", "upf"), 2 * 30 * time.Second},
		{"a rate before bursts", takes("back-to-back", "upf"), takes("loss-curve", "upf"), 2 * 30 * time.Second},
		{"wire alone", takes("mlrsearch", "wire"), takes("loss-curve", "wire"), 2 * 30 * time.Second},
		{"wire beside a UPF", takes("mlrsearch,loss-curve", "wire", "upf"), takes("mlrsearch", "wire", "upf"), 4 * 30 * time.Second},
	} {
		if got := c.some - c.others; got != c.more {
			t.Errorf("%s takes %v more, want %v", c.story, got, c.more)
		}
	}
}
