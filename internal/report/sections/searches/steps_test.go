package searches

import (
	"testing"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/sections/view"
)

func TestStepsKeepTheLast(t *testing.T) {
	trials := make([]record.SearchTrial, 1001)
	trials[1000].Phase = "verify"
	got := thinSteps(trials, stepsMax)
	if len(got) > stepsMax+1 || got[len(got)-1].Phase != "verify" {
		t.Errorf("%d steps, the last %+v", len(got), got[len(got)-1])
	}
}

func TestWhatWireCarries(t *testing.T) {
	for _, c := range []struct {
		wire *record.WireCarries
		want string
	}{
		{nil, "n/a"},
		{&record.WireCarries{PPS: 1.05e6, Carried: true}, "carries 1.05 Mpps"},
		{&record.WireCarries{PPS: 1.05e6, LossRatio: 0.02}, "loses 2.00 % at 1.05 Mpps"},
	} {
		if got := wire(view.Goal{SearchGoal: &record.SearchGoal{Wire: c.wire}}); got != c.want {
			t.Errorf("%+v: %q, want %q", c.wire, got, c.want)
		}
	}
}
