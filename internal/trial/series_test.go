package trial

import (
	"testing"
	"time"
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
