package xdp

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// patience is the silence between warm-up and trial that the program is given. As
// soon as counters are read, which nobody knows beforehand, the trial is moved
// forward to that moment: it never begins while they are being read.
const patience = time.Minute

// drain is how long after the warm-up counters are read: what was under way has
// arrived then.
const drain = 10 * time.Millisecond

// follow calls the marks at their times and returns when everything was sent or no
// more is to be.
func (g *generator) follow(ctx context.Context, c *generatorControl, s traffic.Schedule, m traffic.Marks, done <-chan error) error {
	warmed := g.firstSlot(*c, s) - uint64(patience)
	drained := warmed
	if c.Warmup > 0 {
		drained += uint64(drain)
	}
	if ended, err := g.until(ctx, done, func() bool { return monotonic() >= drained && g.warm(*c) }); ended || err != nil {
		return err
	}
	call(m.Quiet)
	if err := g.advance(c, s, warmed+uint64(s.Quiet)); err != nil {
		return err
	}
	first := g.firstSlot(*c, s)
	if ended, err := g.until(ctx, done, func() bool { return monotonic() >= first }); ended || err != nil {
		return err
	}
	call(m.Start)
	deadline := c.End + uint64(max(50*time.Millisecond, s.Duration/100))
	_, err := g.until(ctx, done, func() bool {
		now := monotonic()
		return now > deadline || now >= c.End && (c.Gap == 0 || g.progress().Slot >= c.Warmup+c.Slots)
	})
	return err
}

// until waits for a condition; ended tells that the program runs no more.
func (g *generator) until(ctx context.Context, done <-chan error, met func() bool) (ended bool, err error) {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !met() {
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-tick.C:
		}
		if len(done) > 0 {
			return true, nil
		}
	}
	return false, nil
}

// warm tells whether the warm-up was sent.
func (g *generator) warm(c generatorControl) bool {
	return c.Gap == 0 || g.progress().Slot >= c.Warmup
}

// firstSlot is when the trial's first frame is due, ns.
func (g *generator) firstSlot(c generatorControl, s traffic.Schedule) uint64 {
	if c.Gap == 0 {
		return c.Start + c.Warmup + c.Quiet
	}
	return c.Start + uint64(s.Span(c.Warmup)) + c.Quiet
}

// advance moves the trial forward, so that its first slot is due soon, but not
// before a time.
func (g *generator) advance(c *generatorControl, s traffic.Schedule, earliest uint64) error {
	due, now := g.firstSlot(*c, s), max(monotonic()+uint64(lead), earliest)
	if due <= now {
		return nil
	}
	c.Start -= due - now
	c.End -= due - now
	return g.write(*c, c.Start)
}

func call(f func()) {
	if f != nil {
		f()
	}
}
