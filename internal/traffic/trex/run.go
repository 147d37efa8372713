package trex

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/internal/traffic"
)

const (
	// lookEvery is how often a running trial is looked at, lookEnd how often near its end.
	lookEvery = 100 * time.Millisecond
	lookEnd   = 5 * time.Millisecond
	// allowed is how much longer than it should a trial may take, at least, before it is
	// ended: TRex goes through its whole schedule, however long that takes.
	allowed = 50 * time.Millisecond
)

// Run implements traffic.Engine: it sends by the schedule and returns when the last frame had time to
// arrive.
func (e *Engine) Run(ctx context.Context, s traffic.Schedule, m traffic.Marks) (o traffic.Outcome, err error) {
	if err := refuse(s); err != nil {
		return o, err
	}
	e.base += uint32(len(s.Sequence)) + 1 // groups of different trials do not mix
	p, err := e.plan(s, e.base)
	if err != nil {
		return o, err
	}
	defer func() {
		if cleared := e.clear(); !lost(err) { // a server that is gone is one error
			err = errors.Join(err, cleared)
		}
	}()
	if err := e.warmUp(ctx, &p, s); err != nil {
		return o, err
	}
	if err := e.load(&p); err != nil {
		return o, err
	}
	mark(m.Quiet)
	before, err := e.read(&p)
	if err != nil {
		return o, err
	}
	t := &trialRun{engine: e, plan: &p, schedule: s, before: before}
	stopped := t.send(ctx, m)
	if stopped != nil && ctx.Err() == nil {
		return o, stopped
	}
	time.Sleep(e.settle)
	after, err := e.read(&p)
	if err != nil {
		return o, errors.Join(stopped, err)
	}
	o, err = t.outcome(after)
	return o, errors.Join(stopped, err)
}

func mark(f func()) {
	if f != nil {
		f()
	}
}

// warmUp sends the traffic before the trial, waits until it is over, and then for the silence.
func (e *Engine) warmUp(ctx context.Context, p *plan, s traffic.Schedule) error {
	e.show(0, 0, traffic.Histogram{})
	if s.Warmup <= 0 {
		return wait.Pause(ctx, s.Quiet)
	}
	p = p.endless()
	if err := e.load(p); err != nil {
		return err
	}
	if err := e.start(p, s.Warmup); err != nil {
		return err
	}
	if err := wait.Pause(ctx, s.Warmup); err != nil {
		return err
	}
	return wait.Pause(ctx, max(s.Quiet, 200*time.Millisecond)) // what is on its way arrives
}
