package threads

import (
	"time"

	"golang.org/x/sys/unix"
)

// Monotonic is CLOCK_MONOTONIC, ns: the time that packets carry and BPF programs read. It is a
// system call; a Clock reads the same without one.
func Monotonic() uint64 { return uint64(read(unix.CLOCK_MONOTONIC)) }

// Realtime is CLOCK_REALTIME, ns, which the kernel stamps packets with.
func Realtime() int64 { return read(unix.CLOCK_REALTIME) }

func read(clock int32) int64 {
	var t unix.Timespec
	unix.ClockGettime(clock, &t) // these clocks are always there
	return t.Nano()
}

// Clock reads CLOCK_MONOTONIC without a system call: by Go's own reading of it, from a moment at
// which both were read. The zero value is not set; use NewClock.
type Clock struct {
	moment time.Time
	at     uint64
}

// NewClock reads both a few times and takes the closest pair: within 50 ns.
func NewClock() Clock {
	var best Clock
	closest := time.Hour
	for range 20 {
		before := time.Now()
		now := Monotonic()
		if took := time.Since(before); took < closest {
			closest = took
			best = Clock{before, now - uint64(took/2)}
		}
	}
	return best
}

// Now is the time, ns.
func (c Clock) Now() uint64 { return c.At(time.Now()) }

// At is CLOCK_MONOTONIC at a time that Go has read, ns.
func (c Clock) At(t time.Time) uint64 { return c.at + uint64(t.Sub(c.moment)) }
