package hosts

import (
	"bytes"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/threads"
)

// Reading is a host's clocks at a moment.
type Reading struct {
	Monotonic uint64 // CLOCK_MONOTONIC, ns
	// Kernel names the kernel that runs, and its view of time: hosts that have it in common,
	// as network namespaces do, have one clock.
	Kernel string
	// Synchronised is whether the kernel is told that its wall clock is (NTP, PTP), and
	// ErrorNS by how much it may be wrong then, ns.
	Synchronised bool
	ErrorNS      uint64
}

// readClock reads this host's.
func readClock() Reading {
	r := Reading{Kernel: kernelID()}
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if r.Synchronised = err == nil && state != unix.TIME_ERROR; r.Synchronised {
		r.ErrorNS = uint64(max(t.Maxerror, 0)) * 1000
	}
	r.Monotonic = threads.Monotonic()
	return r
}

// kernelID is "" where it is not known.
func kernelID() string {
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	time, _ := os.Readlink("/proc/self/ns/time") // a kernel without has one for all
	return string(bytes.TrimSpace(boot)) + " " + time
}

// Offset is by how much another host's clock is behind this one's, and how wrong that may
// be.
type Offset struct {
	By      int64  // ns, to be added to that host's clock
	ErrorNS uint64 // at most
	Same    bool   // both have one clock
}

// exchange is a question for a clock: when it was asked, what it was, and when the answer was here.
type exchange struct {
	asked, answered uint64 // ns by this host's clock
	theirs          Reading
}

// offset is what one exchange says: the reading was taken between the question and the
// answer, wherever in between.
func (x exchange) offset(own string) Offset {
	if own != "" && own == x.theirs.Kernel {
		return Offset{Same: true}
	}
	half := (x.answered - x.asked + 1) / 2
	return Offset{By: int64(x.asked + half - x.theirs.Monotonic), ErrorNS: half}
}

// better is the offset that is known more exactly. An older one is worse by what clocks
// may have drifted since.
func (o Offset) better(older Offset, age time.Duration) Offset {
	if aged := older.ErrorNS + uint64(age.Nanoseconds())/driftPart; aged < o.ErrorNS {
		older.ErrorNS = aged
		return older
	}
	return o
}

// driftPart: clocks of two hosts part by this part of the time at most: quartz has 100 ppm,
// and NTP slews by 500.
const driftPart = 1666

// ahead is what the common time is ahead of this host's, ns, modulo 2^64.
func (p *port) ahead() uint64 { return p.clock.Ahead() }

// now is the common time, ns.
func (p *port) now() uint64 { return threads.Monotonic() + p.clock.Ahead() }
