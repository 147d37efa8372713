// Package wait has two ways to wait that need not be exact.
package wait

import (
	"context"
	"time"
)

// Until asks until done is true, at first at once and then every so often, and reports whether it was
// within a time. It asks a last time when the time is over, so that a busy machine is no reason to
// miss it. It is for what can only be asked for: a file, a device, a counter of the kernel's.
func Until(within, every time.Duration, done func() bool) bool {
	for end := time.Now().Add(within); ; time.Sleep(every) {
		over := time.Now().After(end)
		if done() {
			return true
		}
		if over {
			return false
		}
	}
}

// Pause waits, or returns the cause of ctx's end when that comes first. Workers sleep by
// package threads.
func Pause(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return context.Cause(ctx)
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return nil
	}
}
