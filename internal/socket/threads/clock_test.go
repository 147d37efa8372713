package threads

import (
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestClock: read without a system call it stays between two readings by one.
func TestClock(t *testing.T) {
	c := NewClock()
	for range 1000 {
		var before, after unix.Timespec
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &before)
		now := c.Now()
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &after)
		const exact = 1000 // ns
		if int64(now) < before.Nano()-exact || int64(now) > after.Nano()+exact {
			t.Fatalf("it is %d, and the kernel's is %d to %d", now, before.Nano(), after.Nano())
		}
	}
	if a, b := Monotonic(), Monotonic(); b < a {
		t.Errorf("%d, then %d", a, b)
	}
	if off := time.Duration(Realtime() - time.Now().UnixNano()).Abs(); off > time.Minute {
		t.Errorf("the time of day is off by %v", off)
	}
}
