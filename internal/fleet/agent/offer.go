package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/wait"
)

const (
	// askFor is how long one question for a job stays at the hub.
	askFor = 5 * time.Second
	// idleAfter is how long an agent waits for a job before it counts as idle.
	idleAfter = 200 * time.Millisecond
)

// next waits for a job. The hub says which of those that the testbed can do is its.
func (a *Agent) next(ctx context.Context) (fleet.Offer, error) {
	said, within := "", idleAfter
	for ctx.Err() == nil {
		var offer fleet.Offer
		err := a.conn.Try(ctx, askFor+fleet.Each, func(ctx context.Context) (err error) {
			offer, err = fleet.Question[fleet.Offer](ctx, a.conn, fleet.MethodNext, fleet.NextAsked{Testbed: a.config.Testbed, Wait: within})
			return err
		})
		if err == nil && len(offer.Job) > 0 {
			return offer, nil
		}
		within = askFor
		a.doing.set("idle", "", nil)
		if err == nil {
			continue
		}
		var denied fleet.DeniedError
		if errors.As(err, &denied) {
			return offer, err
		}
		if said != err.Error() && ctx.Err() == nil {
			said = err.Error()
			a.config.Notice("ask for a job: " + said)
		}
		_ = wait.Pause(ctx, fleet.Pause/5)
	}
	return fleet.Offer{}, context.Cause(ctx)
}

// busy says that the job is worked on: the time in which it has to have its outcome begins again.
func (t *task) busy() { _ = t.agent.conn.Tell(fleet.MethodBusy, t.ticket) }

// giveBack gives the job back, for nobody to take it for a while.
func (a *Agent) giveBack(ctx context.Context, t fleet.Ticket, delay time.Duration) error {
	if err := a.ask(ctx, fleet.MethodReturn, fleet.Returned{Ticket: t, Delay: delay}); err != nil {
		return fmt.Errorf("give a job back: %w", err)
	}
	return nil
}
