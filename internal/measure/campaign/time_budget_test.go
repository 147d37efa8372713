package campaign

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
)

// TestBudget: a run whose trials are all disturbed, and repeated as often as may be, takes at most so
// many times as long as its outline says; while there is time, trials are repeated.
func TestBudget(t *testing.T) {
	const attempts, steps, each = 3, 40, time.Second
	now := time.Unix(0, 0)
	b := timeBudget{begun: now, takes: steps * each, steps: steps}
	repeated := 0
	for b.done = 0; b.done < steps; b.done++ {
		for n := 1; ; n++ {
			took := each
			if b.extends(now, each) {
				took *= trial.MostTimes
			}
			now = now.Add(took)
			if n == attempts || !b.repeats(now, each) {
				break
			}
			repeated++
		}
	}
	if took := now.Sub(b.begun); took > trial.MostTimes*b.takes || took < 2*b.takes {
		t.Errorf("it took %v, of %v", took, b.takes)
	}
	if repeated == 0 {
		t.Error("nothing was repeated")
	}
}
