package wait

import (
	"context"
	"errors"
	"testing"
	"time"
)

func TestUntil(t *testing.T) {
	asked := 0
	if !Until(time.Minute, time.Hour, func() bool { return true }) {
		t.Error("what is true at once is waited for")
	}
	if !Until(time.Minute, time.Millisecond, func() bool { asked++; return asked == 3 }) || asked != 3 {
		t.Errorf("it asked %d times for what was true the third time", asked)
	}
	asked = 0
	// What comes true while it sleeps past the end counts.
	if !Until(50*time.Millisecond, 100*time.Millisecond, func() bool { asked++; return asked == 2 }) {
		t.Error("the last answer did not count")
	}
	if Until(time.Millisecond, time.Millisecond, func() bool { return false }) {
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
