package telemetry

import (
	"testing"
	"time"
)

// TestCPUOfAProcessThatEnded: its counter is gone with it, and so the CPU is not known, but it is
// not negative.
func TestCPUOfAProcessThatEnded(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	before := Sample{At: at, Process: 3 * time.Second}
	after := Sample{At: at.Add(time.Second), Process: 0}
	if u := Between(before, after); u.Cores < 0 {
		t.Errorf("%v cores", u.Cores)
	}
}
