package afpacket

import (
	"errors"
	"runtime"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/testbed"
	"github.com/upflab/upflab/internal/traffic"
)

// What counts as late, and as standing still, ns: as in the XDP engine.
const (
	lateNS  = 10_000
	stallNS = 1_000_000
)

// plan is a trial to be sent.
type plan struct {
	trial    uint16
	sequence traffic.Sequence
	max      bool
	batch    int // frames of one call at most

	// A paced trial: the slots of the warm-up and its own.
	warmup, slots pacer
	// An unpaced one: ns at which the warm-up begins and ends, and so the trial.
	warmFrom, warmTo, from, to uint64
}

// progress is what the sending thread did.
type progress struct {
	sent           atomic.Uint64 // of the trial, for Live
	slots          uint64
	first, last    uint64 // ns, first and last frame
	previous       uint64 // ns, the last look at the clock
	late, stalls   uint64
	busy           uint64 // ns
	lateness       traffic.Histogram
	begun, counted bool
}

// generator sends from one CPU.
type generator struct {
	outlets []*outlet
	cpu     int
	clock   monotonic
	stopped atomic.Bool
	progress
}

// start begins to send on a thread of its own; the channel gives how it ended.
func (g *generator) start(p *plan) <-chan error {
	for _, o := range g.outlets {
		o.begin()
	}
	g.stopped.Store(false)
	g.sent.Store(0)
	g.slots, g.first, g.last, g.previous, g.late, g.stalls, g.busy = 0, 0, 0, 0, 0, 0, 0
	g.lateness, g.begun, g.counted = traffic.Histogram{}, false, false
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is pinned and ends here
		done <- g.run(p)
	}()
	return done
}

func (g *generator) stop() { g.stopped.Store(true) }

func (g *generator) run(p *plan) error {
	if err := testbed.Pin(0, g.cpu); err != nil {
		return err
	}
	unix.Setpriority(unix.PRIO_PROCESS, 0, -20) // better, not needed
	if p.max {
		return errors.Join(g.flood(p, p.warmFrom, p.warmTo, false), g.flood(p, p.from, p.to, true))
	}
	return errors.Join(g.paced(p, &p.warmup, false), g.paced(p, &p.slots, true))
}

// paced sends each slot when it is due. What a stall has made late is sent as soon
// as possible, never skipped.
func (g *generator) paced(p *plan, slots *pacer, counts bool) error {
	for !slots.done() && !g.stopped.Load() {
		now := g.clock.now()
		g.account(now)
		if now < slots.due() {
			continue
		}
		for n := 0; n < p.batch && !slots.done() && slots.due() <= now; n++ {
			at := p.sequence.At(slots.slot)
			due := slots.due()
			slots.advance()
			g.put(p, at, due, now, counts)
			now = g.clock.now()
		}
		if err := g.flush(counts); err != nil {
			return err
		}
		if counts {
			g.slots = slots.slot
		}
	}
	return nil
}

// flood sends as fast as it can from a time to another.
func (g *generator) flood(p *plan, from, to uint64, counts bool) error {
	var slot uint64
	for !g.stopped.Load() {
		now := g.clock.now()
		g.account(now)
		if now < from {
			continue
		}
		if now >= to {
			return nil
		}
		for range p.batch {
			g.put(p, p.sequence.At(slot), now, now, counts)
			slot++
			now = g.clock.now()
		}
		if err := g.flush(counts); err != nil {
			return err
		}
	}
	return nil
}

// put builds a slot's frame.
func (g *generator) put(p *plan, at traffic.Slot, due, now uint64, counts bool) {
	trial := p.trial - 1
	if counts {
		trial = p.trial
		g.record(due, now)
	}
	g.outlets[at.Flow].put(int(at.Shape), signature{trial: trial, intended: due, sent: now}, counts)
}

// record books when a frame of the trial was built.
func (g *generator) record(due, now uint64) {
	if !g.begun {
		g.begun, g.first = true, now
	}
	g.last = now
	late := now - due
	g.lateness.Add(late)
	if late > lateNS {
		g.late++
	}
}

// flush hands everything over and books the time since the last look at the clock,
// in which it was built and sent.
func (g *generator) flush(counts bool) error {
	var sent uint64
	var errs error
	for _, o := range g.outlets {
		if err := o.flush(counts, g.stopped.Load); err != nil {
			errs = errors.Join(errs, err)
		}
		sent += o.sent
	}
	if counts {
		g.sent.Store(sent)
		now := g.clock.now()
		g.busy += now - g.previous
		g.previous, g.counted = now, true
	}
	return errs
}

// account notes whether we stood still since the last look at the clock.
func (g *generator) account(now uint64) {
	if g.counted && now-g.previous > stallNS {
		g.stalls++
	}
	g.previous = now
}
