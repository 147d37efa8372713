package xdp

import (
	"sync/atomic"

	"github.com/upflab/upflab/internal/socket/threads"
)

// Clock is what sources and sinks on several hosts have in common: this host's
// CLOCK_MONOTONIC, and by how much that is to be moved. nil is this host's own.
type Clock struct{ by atomic.Uint64 }

// Move has the trials to come count so many ns later than this host's clock, or earlier.
func (c *Clock) Move(by int64) { c.by.Store(uint64(by)) }

// Ahead is what is added to this host's clock, modulo 2^64.
func (c *Clock) Ahead() uint64 {
	if c == nil {
		return 0
	}
	return c.by.Load()
}

// now is the common time, ns.
func (g *generator) now() uint64 { return threads.Monotonic() + g.core.clock.Ahead() }
