package agent

import (
	"context"
	"fmt"
	"sync"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/wait"
)

// use is what a testbed is used for: for one thing at a time.
type use struct {
	mu   sync.Mutex
	what string // "": nothing
}

// take takes the testbed, if it is free.
func (u *use) take(what string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.what != "" {
		return fmt.Errorf("the testbed is in use: %s", u.what)
	}
	u.what = what
	return nil
}

func (u *use) leave() {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.what = ""
}

func (u *use) free() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	return u.what == ""
}

// wait waits until the testbed is free.
func (u *use) wait(ctx context.Context) error {
	for !u.free() {
		if err := wait.Pause(ctx, fleet.Pause); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// lend lets the testbed take part in what another one measures, with one of its interfaces.
func (a *Agent) lend(leader, device string) (release func(), err error) {
	if err := a.config.Policy.Allows([]fleet.Use{fleet.DeviceUse(device)}); err != nil {
		return nil, err
	}
	if held, reason := a.lease.held(); !held {
		return nil, fmt.Errorf("its agent does not hold the testbed: %s", reason)
	}
	what := "it takes part in a measurement of " + leader
	if err := a.use.take(what); err != nil {
		return nil, err
	}
	a.doing.set("paused", what, nil)
	a.config.Notice(what)
	return func() {
		a.use.leave()
		a.doing.set("idle", "", nil)
		a.config.Notice("the measurement of " + leader + " has ended")
	}, nil
}

// workAlone deals with a job of the queue, unless the testbed was lent meanwhile: then
// another may have it.
func (a *Agent) workAlone(ctx context.Context, o fleet.Offer) error {
	if a.use.take("it measures a job of a campaign") != nil {
		return retry(ctx, func(ctx context.Context) error { return a.giveBack(ctx, o.Ticket, 4*fleet.Pause) })
	}
	defer a.use.leave()
	return a.work(ctx, o)
}
