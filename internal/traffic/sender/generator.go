package sender

import (
	"errors"
	"runtime"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/threads"
	"github.com/upflab/upflab/internal/traffic"
)

// What counts as late, and as a pause, ns: as in the XDP engine.
const (
	lateNS  = 10_000
	stallNS = 1_000_000
)

// progress is what the sending thread did.
type progress struct {
	sent         atomic.Uint64 // of the trial, for Live
	first, last  uint64        // ns, first and last frame
	previous     uint64        // ns, the last look at the clock
	late, stalls uint64
	skipped      uint64
	busy         uint64 // ns
	lateness     traffic.Histogram
	begun        bool
}

// generator sends from one CPU.
type generator struct {
	outputs []*output
	cpu     int
	share   traffic.Share
	clock   Clock
	stopped atomic.Bool
	windows windows
	progress
}

// start begins to send on a new thread; the channel gives the error it ended with.
func (g *generator) start(p *plan) <-chan error {
	g.forget()
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread is pinned and ends here
		done <- g.run(p)
	}()
	return done
}

// forget begins a new account.
func (g *generator) forget() {
	for _, o := range g.outputs {
		o.begin()
	}
	g.stopped.Store(false)
	g.sent.Store(0)
	g.first, g.last, g.previous, g.late, g.stalls, g.busy = 0, 0, 0, 0, 0, 0
	g.skipped, g.lateness, g.begun = 0, traffic.Histogram{}, false
}

func (g *generator) stop() { g.stopped.Store(true) }

func (g *generator) run(p *plan) error {
	if err := errors.Join(threads.Pin(0, g.cpu), host.NameThread(host.TrafficThread)); err != nil {
		return err
	}
	unix.Setpriority(unix.PRIO_PROCESS, 0, -20) // better, not needed
	send := g.paced
	if p.max {
		send = g.flood
	}
	return errors.Join(send(p), g.drain())
}

// drain waits until what was handed over has left.
func (g *generator) drain() (err error) {
	for _, o := range g.outputs {
		err = errors.Join(err, o.drain())
	}
	return err
}

// paced sends each slot when it is due. What a stall has made late is sent at twice the
// rate or, where windows are counted and it is very late, skipped.
func (g *generator) paced(p *plan) error {
	slots := &p.slots
	for !g.stopped.Load() {
		g.pass(p)
		now := g.clock.Now()
		if slots.done() && p.over(now) {
			break
		}
		g.account(p, now)
		if !slots.ready(now) {
			continue
		}
		if p.windowed && slots.skips(now) {
			g.skip(p, now)
			continue
		}
		for n := 0; n < p.batch && slots.ready(now); n++ {
			g.put(p, p.sequence.At(slots.slot), slots.due(), now)
			slots.advance(now)
			g.pass(p)
			now = g.clock.Now()
		}
		if err := g.flush(p); err != nil {
			return err
		}
	}
	return nil
}

// mine reports whether a slot is of a session that this source sends for.
func (g *generator) mine(at traffic.Slot) bool {
	return g.share.Owns(int(at.Flow), g.outputs[at.Flow].next)
}

// pass goes past slots of other sources. What they send counts for the rate at which this
// one catches up.
func (g *generator) pass(p *plan) {
	if !g.share.Several() {
		return
	}
	for slots := &p.slots; !slots.done(); {
		at := p.sequence.At(slots.slot)
		if g.mine(at) {
			return
		}
		slots.caughtUp += slots.pass() >> (fraction + 1)
		g.outputs[at.Flow].turn()
	}
}

// skip goes past the slots that are due by now.
func (g *generator) skip(p *plan, now uint64) {
	for slots := &p.slots; !slots.done() && slots.due() <= now; slots.pass() {
		at := p.sequence.At(slots.slot)
		if g.mine(at) {
			g.skipped++
			if p.counts {
				g.windows.skip(slots.due())
			}
		}
		g.outputs[at.Flow].turn()
	}
}

// idle reports whether no session is this source's.
func (g *generator) idle() bool {
	for flow, o := range g.outputs {
		for session := range o.seqs {
			if g.share.Owns(flow, session) {
				return false
			}
		}
	}
	return true
}

// flood sends as fast as it can from a time to another.
func (g *generator) flood(p *plan) error {
	for g.idle() && !g.stopped.Load() && !p.over(g.clock.Now()) {
		time.Sleep(time.Millisecond) // it has no share: it only has to end in time
	}
	var slot uint64
	for !g.stopped.Load() {
		now := g.clock.Now()
		g.account(p, now)
		if now < p.from {
			continue
		}
		if p.over(now) {
			return nil
		}
		for range p.batch {
			for !g.mine(p.sequence.At(slot)) {
				g.outputs[p.sequence.At(slot).Flow].turn()
				slot++
			}
			g.put(p, p.sequence.At(slot), now, now)
			slot++
			now = g.clock.Now()
		}
		if err := g.flush(p); err != nil {
			return err
		}
	}
	return nil
}

// put builds a slot's frame and books when.
func (g *generator) put(p *plan, at traffic.Slot, due, now uint64) {
	if !g.begun {
		g.begun, g.first = true, now
	}
	g.last = now
	late := now - due
	g.lateness.Add(late)
	if late > lateNS {
		g.late++
	}
	if p.counts {
		g.windows.late(due, late)
	}
	o := g.outputs[at.Flow]
	o.put(int(at.Shape), signature.Signature{Trial: p.trial, Intended: due, Sent: now}, p.counts)
	o.turn()
}

// flush hands everything over and books the time since the last look at the clock,
// in which it was built and sent.
func (g *generator) flush(p *plan) error {
	var sent uint64
	var errs error
	for _, o := range g.outputs {
		if err := o.flush(p.counts, g.stopped.Load); err != nil {
			errs = errors.Join(errs, err)
		}
		sent += o.sent
	}
	g.sent.Store(sent)
	now := g.clock.Now()
	g.busy += now - g.previous
	g.previous = now
	return errs
}

// account notes whether the thread was paused since the last look at the clock.
func (g *generator) account(p *plan, now uint64) {
	if g.begun && now-g.previous > stallNS {
		g.stalls++
		if p.counts {
			g.windows.stall(g.previous)
		}
	}
	g.previous = now
}
