package sender

import (
	"github.com/upflab/upflab/internal/socket/threads"
)

// Clock is a threads.Clock that may be moved to another host's.
type Clock struct {
	threads.Clock
	ahead func() uint64 // nil: it is this host's own
}

// NewClock is this host's own.
func NewClock() Clock { return Clock{Clock: threads.NewClock()} }

// Moved is a clock that is ahead by so many ns, modulo 2^64, which may change between trials.
func (c Clock) Moved(ahead func() uint64) Clock {
	c.ahead = ahead
	return c
}

// Now is the time, ns.
func (c Clock) Now() uint64 {
	now := c.Clock.Now()
	if c.ahead != nil {
		now += c.ahead()
	}
	return now
}
