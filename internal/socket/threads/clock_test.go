package threads

import (
	"context"
	"errors"
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

func TestAwait(t *testing.T) {
	asked := 0
	if !Await(time.Minute, time.Hour, func() bool { return true }) {
		t.Error("what is true at once is waited for")
	}
	if !Await(time.Minute, time.Millisecond, func() bool { asked++; return asked == 3 }) || asked != 3 {
		t.Errorf("it asked %d times for what was true the third time", asked)
	}
	asked = 0
	// What comes true while it sleeps past the end counts.
	if !Await(50*time.Millisecond, 100*time.Millisecond, func() bool { asked++; return asked == 2 }) {
		t.Error("the last answer did not count")
	}
	if Await(time.Millisecond, time.Millisecond, func() bool { return false }) {
		t.Error("what is never true is")
	}
}

func TestPause(t *testing.T) {
	begin := time.Now()
	if err := Pause(context.Background(), 20*time.Millisecond); err != nil || time.Since(begin) < 20*time.Millisecond {
		t.Errorf("%v after %v", err, time.Since(begin))
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, d := range []time.Duration{0, time.Hour} {
		if err := Pause(ctx, d); !errors.Is(err, context.Canceled) {
			t.Errorf("with a context that has ended it waited %v: %v", d, err)
		}
	}
}
