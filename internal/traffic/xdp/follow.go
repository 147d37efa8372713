package xdp

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/traffic"
)

// patience is the silence between warm-up and trial that the program is given. As
// soon as the counters are read, the trial is moved forward to that moment: it never
// begins while they are being read.
const patience = time.Minute

// startLead is the time that Marks.Start has before the first slot: what it does
// may take the generator's CPU for a millisecond or two.
const startLead = 5 * time.Millisecond

// grace is what a generator that was kept from its CPU gets at least to catch up
// after the trial's end.
const grace = 250 * time.Millisecond

// skipGrace is the same where windows are counted: it skips what is late at once, but has
// to be called for that.
const skipGrace = 2 * time.Second

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
	if ended, err := g.until(ctx, done, drained, func() bool { return g.warm(*c) }); ended || err != nil {
		return err
	}
	call(m.Quiet)
	first := max(g.now()+uint64(startLead), warmed+uint64(s.Quiet))
	if m.Agree != nil {
		first = m.Agree(first)
	}
	if err := g.advance(c, s, first); err != nil {
		return err
	}
	call(m.Start)
	return g.finish(ctx, c, s, done)
}

// finish waits for the end of the schedule, which may be extended meanwhile.
func (g *generator) finish(ctx context.Context, c *generatorControl, s traffic.Schedule, done <-chan error) error {
	for {
		end := g.end(c)
		ended, err := g.until(ctx, done, end, func() bool { return g.end(c) > end || g.sentAll(c, s) })
		if ended || err != nil || g.over(c, end) {
			return err
		}
	}
}

// sentAll reports whether everything was sent, or no more is to be.
func (g *generator) sentAll(c *generatorControl, s traffic.Schedule) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.progress()
	patience := max(grace, s.Duration/100)
	if g.windowed {
		patience = max(patience, skipGrace)
	}
	deadline := c.End + uint64(patience) + p.Shifted
	return c.Gap == 0 || p.Slot >= c.Warmup+c.Slots || g.now() > deadline
}

func (g *generator) end(c *generatorControl) uint64 {
	g.mu.Lock()
	defer g.mu.Unlock()
	return c.End
}

// over closes the schedule, unless it was extended beyond end.
func (g *generator) over(c *generatorControl, end uint64) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.running = g.running && c.End > end
	return c.End <= end
}

// until waits for a time, ns, and then for a condition; ended is true when the
// program no longer runs. It wakes up as seldom as it can: a thread that wakes up on the
// generator's CPU may stop it.
func (g *generator) until(ctx context.Context, done <-chan error, at uint64, met func() bool) (ended bool, err error) {
	for {
		wait := 2 * time.Millisecond
		if now := g.now(); now < at {
			wait = min(time.Duration(at-now), 100*time.Millisecond)
		} else if met() {
			return false, nil
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(wait):
		}
		if len(done) > 0 {
			return true, nil
		}
	}
}

// warm reports whether the warm-up was sent.
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

// advance moves the trial forward, so that its first slot is due at a time.
func (g *generator) advance(c *generatorControl, s traffic.Schedule, first uint64) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.begun, g.running = true, true
	due := g.firstSlot(*c, s)
	if due <= first {
		return nil
	}
	c.Start -= due - first
	c.End -= due - first
	return g.write(*c, c.Start)
}

func call(f func()) {
	if f != nil {
		f()
	}
}
