package disturbance

import (
	"maps"
	"slices"
	"time"
)

// Cause is why the run's work did not have a CPU.
type Cause string

// The causes.
const (
	Paused     Cause = "paused"     // no interrupt was served: the host took the CPU, or interrupts were off
	Others     Cause = "others"     // another program ran
	Interrupts Cause = "interrupts" // of devices that are not the test's, and the softirqs behind them
	Unseen     Cause = "unseen"     // more happened than could be noted
)

// Itself is who others are when they are threads of this process that neither send nor
// receive.
const Itself = "upflab itself"

// The drain rule. A disturbance lasts until what piled up behind it is done: until
// its CPU was idle, or drainTimes its own length. It lasts drainLeast longer than
// itself in any case: the CPU's caches are cold, and other CPUs waited for it.
const (
	drainTimes = 10
	drainLeast = uint64(time.Millisecond)
)

// kept is how long a disturbance is remembered after its end, ns.
const kept = uint64(10 * time.Second)

// interval is a disturbance, ns of CLOCK_MONOTONIC.
type interval struct {
	from, to uint64
	rested   uint64 // when its CPU had nothing to do last before it
	idle     uint64 // when its CPU was idle first after it; 0: not yet
	cause    Cause
	who      string
}

// since is from when on packets may have met it. A pause begins at any time between the
// interrupt that was served last and the one that came late. And what has waited since
// the CPU had nothing to do, drainTimes the disturbance's length at most, waited that
// much longer; not at a CPU that polls, which has no queue.
func (i interval) since(polls bool) uint64 {
	var before uint64
	if i.cause == Paused {
		before = uint64(Period)
	}
	if !polls && i.rested < i.from {
		before = max(before, min(i.from-i.rested, drainTimes*(i.to-i.from)))
	}
	return i.from - min(i.from, before)
}

// until is when the disturbance and its backlog were over. A CPU that polls is never
// idle, and leaves out what it was late for by more than half of drainLeast.
func (i interval) until(polls bool) uint64 {
	if polls {
		return i.to + drainLeast
	}
	drained := i.to + drainTimes*(i.to-i.from)
	if i.idle != 0 {
		drained = min(drained, i.idle)
	}
	return max(drained, i.to+drainLeast)
}

// cut reports whether its backlog was not seen to end: its CPU was not idle within
// drainTimes its length, so that what came later may have waited for it, too.
func (i interval) cut(polls bool) bool {
	return !polls && (i.idle == 0 || i.idle > max(i.to+drainTimes*(i.to-i.from), i.to+drainLeast))
}

// history is what happened to the CPUs that are watched.
type history struct {
	polls   map[int]bool // by CPU
	lasting map[int][]interval
	over    map[int]spans   // what those took that are settled, with their backlog
	sums    map[Entry]Entry // by an entry without sums
	settled uint64          // disturbances whose end is known
	cuts    uint64          // those of them whose backlog was not seen to end
	// behind is, by CPU that has not been idle since, the time from which such a backlog may affect
	// what counts, and backlog how long that was of others, ns. seen is up to when all is known.
	behind  map[int]uint64
	backlog uint64
	seen    uint64
}

func newHistory(generators, others []int) history {
	h := history{polls: map[int]bool{}, lasting: map[int][]interval{}, over: map[int]spans{}, behind: map[int]uint64{}}
	for _, cpu := range generators {
		h.polls[cpu] = true
	}
	for _, cpu := range others {
		h.polls[cpu] = false
	}
	h.forget(0)
	return h
}

func (h *history) cpus() []int { return slices.Sorted(maps.Keys(h.polls)) }

func (h *history) add(cpu int, i interval) {
	h.lasting[cpu] = append(h.lasting[cpu], i)
	h.sum(cpu, i)
}

// idle says that a CPU had nothing left to do: the disturbances before are over.
func (h *history) idle(cpu int, at uint64) {
	list := h.lasting[cpu]
	for i := range list {
		if list[i].to <= at && list[i].idle == 0 {
			list[i].idle = at
		}
	}
	h.settle(cpu, at)
	if from, is := h.behind[cpu]; is {
		h.backlog += at - min(at, from)
		delete(h.behind, cpu)
	}
}

// settle takes note of the disturbances whose end is known at a time.
func (h *history) settle(cpu int, now uint64) {
	polls := h.polls[cpu]
	h.seen = max(h.seen, now)
	h.lasting[cpu] = slices.DeleteFunc(h.lasting[cpu], func(i interval) bool {
		until := i.until(polls)
		if i.idle == 0 && until > now {
			return false
		}
		h.over[cpu] = h.over[cpu].insert(span{i.since(polls), until})
		h.settled++
		if i.cut(polls) {
			h.cuts++
			if from, is := h.behind[cpu]; !is || until < from {
				h.behind[cpu] = until
			}
		}
		return true
	})
}

// forget drops what was over before t, and all sums.
func (h *history) forget(t uint64) {
	for cpu := range h.polls {
		h.settle(cpu, t)
		h.over[cpu] = h.over[cpu].after(t)
	}
	for cpu, from := range h.behind { // its backlog may last
		h.behind[cpu] = max(from, t)
	}
	h.sums, h.settled, h.cuts, h.backlog, h.seen = map[Entry]Entry{}, 0, 0, 0, t
}

// touches reports whether any disturbance lies in [from, to). open are those that
// still last, by CPU: when they began.
func (h *history) touches(from, to uint64, open map[int]uint64) bool {
	for _, began := range open {
		if began < to {
			return true
		}
	}
	for cpu := range h.polls {
		if h.touchesOn(cpu, span{from, to}) {
			return true
		}
	}
	return false
}

func (h *history) touchesOn(cpu int, s span) bool {
	h.settle(cpu, s.to)
	h.over[cpu] = h.over[cpu].after(s.from - min(s.from, kept))
	if h.over[cpu].touch(s) {
		return true
	}
	return slices.ContainsFunc(h.lasting[cpu], func(i interval) bool {
		return i.since(h.polls[cpu]) < s.to && i.until(h.polls[cpu]) > s.from
	})
}
