package telemetry

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// Clocks is how the kernel's clocks stood to each other at one moment. Everything
// that upflab measures counts by CLOCK_MONOTONIC, which neither steps nor runs
// while the machine is suspended.
type Clocks struct {
	Realtime time.Duration // CLOCK_REALTIME - CLOCK_MONOTONIC
	Boottime time.Duration // CLOCK_BOOTTIME - CLOCK_MONOTONIC: the time spent suspended
}

// ReadClocks reads the clocks, each between two readings of the monotonic one.
func ReadClocks() (c Clocks, err error) {
	if c.Realtime, err = ahead(unix.CLOCK_REALTIME); err != nil {
		return c, err
	}
	c.Boottime, err = ahead(unix.CLOCK_BOOTTIME)
	return c, err
}

// readings of a clock are made; the one that was least interrupted counts.
const readings = 5

// ahead is how far a clock is ahead of the monotonic one.
func ahead(clock int32) (time.Duration, error) {
	var best, least time.Duration
	for i := range readings {
		var ts [3]unix.Timespec
		for j, id := range [...]int32{unix.CLOCK_MONOTONIC, clock, unix.CLOCK_MONOTONIC} {
			if err := unix.ClockGettime(id, &ts[j]); err != nil {
				return 0, fmt.Errorf("read clock %d: %w", id, err)
			}
		}
		before, at, after := time.Duration(ts[0].Nano()), time.Duration(ts[1].Nano()), time.Duration(ts[2].Nano())
		if i == 0 || after-before < least {
			best, least = at-before-(after-before)/2, after-before
		}
	}
	return best, nil
}

// stepLeast is the least that counts as a step: readings differ by some us, and a
// clock that is slewed takes the monotonic one with it.
const stepLeast = time.Millisecond

// ClockChange is what happened to the clocks between two readings. Both are 0
// below a millisecond.
type ClockChange struct {
	Step      time.Duration // CLOCK_REALTIME was set forward (or, below 0, back) by it
	Suspended time.Duration // the machine was asleep
}

// ClocksBetween compares two readings.
func ClocksBetween(a, b Clocks) (c ClockChange) {
	if slept := b.Boottime - a.Boottime; slept >= stepLeast {
		c.Suspended = slept
	}
	// A suspended machine's real time goes on: that is no step.
	if step := b.Realtime - a.Realtime - c.Suspended; step.Abs() >= stepLeast {
		c.Step = step
	}
	return c
}
