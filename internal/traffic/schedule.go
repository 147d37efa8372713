package traffic

import (
	"math"
	"time"
)

// Schedule says when frames are due.
type Schedule struct {
	PPS      float64       // packets per second; 0: as fast as possible
	Duration time.Duration // of the trial
	Warmup   time.Duration // traffic before it that is not counted
	// Quiet is the least silence between warm-up and trial; it lasts until
	// Marks.Quiet, in which counters are read, has returned.
	Quiet time.Duration
	// Arrivals is how the slots lie; nil: at equal distances.
	Arrivals Arrivals
	// Reshuffle has each further round of MaxArrivals gaps go through them in another
	// order: those that are independent of each other then never come twice in the same
	// one. Its first round is in their own.
	Reshuffle bool
	// Burst: it is a single burst, of which it matters how close its frames lie.
	Burst bool
	// Sequence is what they send; nil: the first shape of the first flow.
	Sequence Sequence
	// Excluded says whether a window of the trial, [from, to) ns of CLOCK_MONOTONIC,
	// was disturbed, so that what was due in it does not count. It is asked more than
	// once for a window: soon after its end, to know how long the trial will take, and
	// for good some 200 ms after it. nil: nothing is excluded, and nothing is counted
	// by windows; nor is a burst.
	Excluded func(from, to uint64) bool
	// Most is how long the trial takes at most: it goes on until Duration of windows
	// that were not excluded are there. Duration or less: it is never extended.
	Most time.Duration
	// Least is how much of the trial has to be undisturbed for anything to be excluded:
	// figures of less would be of next to nothing, and all of the trial counts instead.
	Least time.Duration
}

// gapFraction is the schedule's resolution: 1/65536 ns.
const gapFraction = 1 << 16

// Max reports whether the schedule is unpaced.
func (s Schedule) Max() bool { return s.PPS == 0 }

// Gap is the time between two slots in 1/65536 ns; 0 when unpaced.
func (s Schedule) Gap() uint64 {
	if s.Max() {
		return 0
	}
	return uint64(math.Round(gapFraction * 1e9 / s.PPS))
}

// Slots is how many slots fall due within d; 0 when unpaced. The first is due
// at 0.
func (s Schedule) Slots(d time.Duration) uint64 {
	gap := s.Gap()
	if gap == 0 || d <= 0 {
		return 0
	}
	// d * 65536 does not fit 64 bits beyond 78 hours.
	return uint64(math.Ceil(float64(d.Nanoseconds()) * gapFraction / float64(gap)))
}

// Lasts is how long the slots that fall due within d take, the last one's gap
// included: less than d where an arrival process ends in a silence, more where its
// slots come late. Unpaced, and without such a process, it is d.
func (s Schedule) Lasts(d time.Duration) time.Duration {
	n := s.Slots(d)
	if n == 0 || len(s.Arrivals) == 0 {
		return d
	}
	return s.Span(n-1) + time.Duration(float64(s.Gap())/gapFraction)
}

// Span is the time from the first slot to slot n.
func (s Schedule) Span(n uint64) time.Duration {
	return time.Duration(s.Arrivals.after(n, s.Reshuffle) * float64(s.Gap()) / gapFraction)
}
