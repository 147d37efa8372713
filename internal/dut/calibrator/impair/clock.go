package impair

import (
	"time"

	"golang.org/x/sys/unix"
)

// clock reads CLOCK_MONOTONIC, ns, without a system call: by Go's own reading of
// it, from a moment at which both were read.
type clock struct {
	moment time.Time
	at     uint64
}

// newClock reads both a few times and takes the closest pair: within some 50 ns.
func newClock() clock {
	var best clock
	closest := time.Hour
	for range 20 {
		before := time.Now()
		var ts unix.Timespec
		unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // cannot fail
		if took := time.Since(before); took < closest {
			closest = took
			best = clock{before, uint64(ts.Nano()) - uint64(took/2)}
		}
	}
	return best
}

// real gives CLOCK_MONOTONIC now, ns, and how far CLOCK_REALTIME is from it.
func (c clock) real() (now uint64, ahead int64) {
	t := time.Now()
	now = c.at + uint64(t.Sub(c.moment))
	return now, t.UnixNano() - int64(now)
}

func (c clock) now() uint64 { return c.at + uint64(time.Since(c.moment)) }
