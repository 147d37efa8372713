package trial

import (
	"testing"
	"time"

	"github.com/upflab/upflab/internal/record"
)

func TestStepBoundsSeries(t *testing.T) {
	for trial, want := range map[time.Duration]time.Duration{
		0: 100 * time.Millisecond, time.Second: 100 * time.Millisecond, 200 * time.Second: 100 * time.Millisecond,
		201 * time.Second: 200 * time.Millisecond, time.Hour: 1800 * time.Millisecond, 24 * time.Hour: 43200 * time.Millisecond,
	} {
		if got := step(trial); got != want || trial/got > pointsMax {
			t.Errorf("a trial of %v has a point each %v, want %v", trial, got, want)
		}
	}
}

// What is kept of a trial under way is not valid, and says why.
func TestTrialUnderWay(t *testing.T) {
	spec := Spec{Direction: record.Uplink, Duration: time.Hour, Soak: &record.Soak{PlannedS: 3600}}
	got := underWay(record.Trial{}, spec, []record.Point{{T: 0.1}, {T: 60}})
	if got.Valid || len(got.Series) != 2 || got.DurationS != 60 || len(got.Reasons) != 1 || got.Soak == nil {
		t.Errorf("%+v", got)
	}
}
