package kit

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
	b := TimeBudget{Begun: now, Takes: steps * each, Steps: steps}
	repeated := 0
	for b.Done = 0; b.Done < steps; b.Done++ {
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
	if took := now.Sub(b.Begun); took > trial.MostTimes*b.Takes || took < 2*b.Takes {
		t.Errorf("it took %v, of %v", took, b.Takes)
	}
	if repeated == 0 {
		t.Error("nothing was repeated")
	}
}
