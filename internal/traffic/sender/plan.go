package sender

import (
	"sync"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// plan is what is to be sent: a warm-up, or the trial after it.
type plan struct {
	trial    uint16 // in the signatures
	counts   bool   // false: a warm-up
	sequence traffic.Sequence
	max      bool
	batch    int    // frames of one call at most
	slots    pacer  // when paced; the sending thread's
	from     uint64 // ns, the first slot is due
	windowed bool   // very late slots are skipped, and the end may move

	mu     sync.Mutex
	total  uint64 // slots, when paced
	to     uint64 // ns, the end
	closed bool   // it does not move any more
}

// lead is how long before its first slot a schedule is made, at least.
const lead = 5 * time.Millisecond

// makePlan is a part of the schedule for the sending thread: d of it, from a time on.
func (e *Source) makePlan(s traffic.Schedule, trial uint16, d time.Duration, from uint64) *plan {
	p := &plan{trial: trial, sequence: s.Sequence, max: s.Max(), batch: batch(s), windowed: e.generator.windows.on, from: from}
	if p.max {
		p.to = p.from + uint64(d)
		return p
	}
	p.total = s.Slots(d)
	p.slots = pacer{gap: s.Gap(), arrivals: s.Arrivals, shuffles: s.Reshuffle, slots: p.total, start: p.from}
	p.to = p.from + uint64(s.Span(p.total))
	return p
}

// batch is how many frames one call hands over at most. The time in a signature is
// when the frame was built, so a paced trial has smaller ones.
func batch(s traffic.Schedule) int {
	if s.Max() {
		return Batch
	}
	return 16
}

// over reports whether the plan has ended when all slots that the sending thread knows
// of were sent. When there are more by now it says so to the thread.
func (p *plan) over(now uint64) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.slots.slots = p.total
	p.closed = p.closed || now >= p.to || !p.max && !p.windowed
	return p.closed && p.slots.done()
}

// extend lets it take until a time, with so many slots.
func (p *plan) extend(slots, to uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.closed && to > p.to {
		p.total, p.to = slots, to
	}
}

// close keeps it from being extended.
func (p *plan) close() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
}

// end is when it ends, ns.
func (p *plan) end() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.to
}

// patience is how late a plan may be before what is left is given up. What is late is
// skipped at once where windows are counted, but the thread has to run for that.
func (p *plan) patience() time.Duration {
	least := 50 * time.Millisecond
	if p.windowed {
		least = 2 * time.Second
	}
	return max(least, time.Duration(p.end()-p.from)/100)
}
