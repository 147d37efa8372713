package campaign

import (
	"testing"

	"github.com/upflab/upflab/internal/measure/campaign/plan"
)

// TestEachKindHasItsVisit: what can be planned can be run.
func TestEachKindHasItsVisit(t *testing.T) {
	for _, k := range plan.Kinds() {
		if works()[k.Name].visit == nil {
			t.Errorf("a scenario of kind %s has no visit", k.Name)
		}
		if k.Steps == nil && works()[k.Name].steps == nil {
			t.Errorf("nobody says how many steps a scenario of kind %s has", k.Name)
		}
	}
}
