package agent

import (
	"context"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/fleet"
)

// doing is what the agent does now, for the hub to know.
type doing struct {
	mu    sync.Mutex
	now   fleet.Alive
	since time.Time
	stir  chan struct{} // it has changed
}

func newDoing(agent string) *doing {
	return &doing{now: fleet.Alive{Agent: agent, Doing: "starting"}, since: time.Now(), stir: make(chan struct{}, 1)}
}

// set changes it, and reports whether it is another.
func (d *doing) set(what, reason string, job *fleet.Job) bool {
	next := fleet.Alive{Agent: d.now.Agent, Doing: what, Reason: reason}
	if job != nil {
		next.Job, next.Name = job.ID, job.Name
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if next == d.now {
		return false
	}
	d.now, d.since = next, time.Now()
	select {
	case d.stir <- struct{}{}:
	default:
	}
	return true
}

func (d *doing) get() fleet.Alive {
	d.mu.Lock()
	defer d.mu.Unlock()
	a := d.now
	a.For = time.Since(d.since)
	return a
}

// tell says it each second, and when it changes.
func (d *doing) tell(ctx context.Context, c *fleet.Client, testbed string) {
	for ctx.Err() == nil {
		_ = c.Tell(fleet.MethodAlive, fleet.AliveAsked{Testbed: testbed, Alive: d.get()}) // one that is missed is followed by the next
		select {
		case <-ctx.Done():
		case <-d.stir:
		case <-time.After(fleet.AliveEvery):
		}
	}
	limited, stop := context.WithTimeout(context.Background(), fleet.AliveEvery)
	defer stop()
	_, _ = fleet.Question[struct{}](limited, c, fleet.MethodAlive, fleet.AliveAsked{Testbed: testbed, Gone: true}) // it ends in order
}
