package n4

import (
	"testing"
	"time"

	"github.com/upflab/upflab/upf/n4/report"
)

// TestReportsOfAlarms: an alarm that finds no room is reported at the next tick.
func TestReportsOfAlarms(t *testing.T) {
	r := &report.Reports{Alarms: make(chan uint64, 1)}
	r.Timers.Began = time.Now()
	r.Alarm(1, 0)
	r.Alarm(2, 0)
	if got := r.Timers.Take(time.Now()); len(got) != 1 || got[0] != 2 || <-r.Alarms != 1 {
		t.Errorf("timers have %v", got)
	}
}
