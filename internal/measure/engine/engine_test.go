package engine

import (
	"testing"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/decltest"
)

// TestEnginesOpen: each engine that a scenario can name is opened by this package; auto is one of the others by
// then, and TRex has hosts of its own. No other name is taken for one of them.
func TestEnginesOpen(t *testing.T) {
	for name, value := range decltest.Constants(t, "../../scenario", "Engine") {
		e := scenario.Engine(value)
		if _, opens := openers()[e]; opens == (e == scenario.EngineAuto || e == scenario.EngineTRex) {
			t.Errorf("%s: opened here: %v", name, opens)
		}
	}
	if _, err := open("none", opening{}); err == nil {
		t.Error("an engine that is not known opens")
	}
}
