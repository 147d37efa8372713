package pfcp

import (
	"testing"
	"time"
)

// TestReportsOfAlarms: an alarm that finds no room is reported at the next tick.
func TestReportsOfAlarms(t *testing.T) {
	r := &reports{alarms: make(chan uint64, 1)}
	r.timers.began = time.Now()
	r.alarm(1, 0)
	r.alarm(2, 0)
	if got := r.timers.take(time.Now()); len(got) != 1 || got[0] != 2 || <-r.alarms != 1 {
		t.Errorf("timers have %v", got)
	}
}
