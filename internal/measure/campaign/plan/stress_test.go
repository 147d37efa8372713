package plan

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/scenario/scenariotest"
)

// TestPreparationTakes: the time of a stress study has all that a first visit does, for each direction and size.
func TestPreparationTakes(t *testing.T) {
	takes := func(sets ...string) time.Duration {
		return preparationTakes(&Plan{Scenario: scenariotest.Open(t, "stress", append(sets, "directions=uplink")...)})
	}
	whole := takes()
	for story, c := range map[string]struct{ less, by time.Duration }{
		"no capacity":         {takes("loads=1k,2k"), capacityTrials * CapacityTrial},
		"no probes":           {takes("stress.taps=0"), 2 * TapPairs * TapTrial},
		"nothing followed":    {takes("stress.around=0s"), 6 * time.Second},
		"one size of several": {whole - (takes("sizes=64,1400") - whole), visitTakes},
	} {
		if whole-c.less < c.by {
			t.Errorf("%s: %v, and %v with it: not %v less", story, c.less, whole, c.by)
		}
	}
}
