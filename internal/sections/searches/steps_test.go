package searches

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
)

func TestStepsKeepTheLast(t *testing.T) {
	trials := make([]record.SearchTrial, 1001)
	trials[1000].Phase = "verify"
	got := thinSteps(trials, stepsMax)
	if len(got) > stepsMax+1 || got[len(got)-1].Phase != "verify" {
		t.Errorf("%d steps, the last %+v", len(got), got[len(got)-1])
	}
}
