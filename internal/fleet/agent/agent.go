package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/safefile"
	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/internal/traffic/hosts"
)

// Config is what an agent is started with.
type Config struct {
	Access  fleet.Access
	Testbed fleet.Testbed // with its name, the agent's, and what it can do
	Dir     string        // of jobs under way and results not handed in yet
	Runner  Runner
	// Policy is what jobs may make of this host.
	Policy fleet.Policy
	// MinFree is the room that Dir's disk must have before a job is taken, octets.
	MinFree int64
	// Notice is told what happens, a line each; nil: nobody.
	Notice func(string)
}

// Agent serves one testbed.
type Agent struct {
	config Config
	conn   *fleet.Client
	lease  *lease
	spool  spool
	doing  *doing
	part   *hosts.Follower // of measurements that others lead
	use    use
}

// cleaned removes terminal controls and line breaks from notices; a nil notice drops them. Jobs, hubs
// and errors that quote them are others'.
func cleaned(notice func(string)) func(string) {
	if notice == nil {
		return func(string) {}
	}
	return func(text string) { notice(fleet.OneLine(text)) }
}

// Serve serves the testbed until ctx ends, or the hub refuses it.
func Serve(ctx context.Context, c Config) error {
	c.Notice = cleaned(c.Notice)
	a := &Agent{config: c, spool: spool{dir: c.Dir}, doing: newDoing(c.Testbed.Agent)}
	a.part = &hosts.Follower{Admit: a.lend}
	if err := a.connect(ctx); err != nil {
		return withoutCancel(err)
	}
	defer a.conn.Close()
	err := a.serve(ctx)
	if ctx.Err() != nil {
		return nil
	}
	return withoutCancel(err)
}

// unknownFor is how long a hub may not know a pass: it reads its members now and then.
const unknownFor = 5 * time.Second

// connect waits for the hub. One that refuses the agent, or is of another version, is
// an error.
func (a *Agent) connect(ctx context.Context) error {
	began, said := time.Now(), ""
	for {
		var err error
		a.conn, err = fleet.Join(ctx, a.config.Access, a.config.Testbed.Name)
		if err == nil || ctx.Err() != nil {
			return err
		}
		var other fleet.ProtocolError
		var denied fleet.DeniedError
		final := errors.As(err, &other) || errors.As(err, &denied)
		if final && time.Since(began) > unknownFor || errors.Is(err, nats.ErrAuthorization) && time.Since(began) > unknownFor {
			return err
		}
		if text := err.Error(); text != said {
			said = text
			a.config.Notice(text)
		}
		if err := wait.Pause(ctx, fleet.Pause); err != nil {
			return err
		}
	}
}

func withoutCancel(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// ask asks the hub for something that has no answer but that it is done.
func (a *Agent) ask(ctx context.Context, method string, question any) error {
	_, err := fleet.Question[struct{}](ctx, a.conn, method, question)
	return err
}

// serve keeps the lease, says that it is alive, and works.
func (a *Agent) serve(ctx context.Context) error {
	if err := a.spool.clear(); err != nil {
		return err
	}
	a.lease = newLease(a.conn, a.config.Testbed)
	a.lease.notice = a.config.Notice
	ctx, stop := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer all.Wait()
	defer stop()
	all.Go(func() { a.lease.keep(ctx) })
	all.Go(func() { a.doing.tell(ctx, a.conn, a.config.Testbed.Name) })
	if err := a.lease.wait(ctx, a.doing); err != nil {
		return err
	}
	defer a.lease.release()
	if err := retry(ctx, func(ctx context.Context) error {
		return a.ask(ctx, fleet.MethodTestbed, a.config.Testbed)
	}); err != nil {
		return err
	}
	a.config.Notice(fmt.Sprintf("serving testbed %s as agent %s", a.config.Testbed.Name, a.config.Testbed.Agent))
	if err := a.disown(ctx); err != nil {
		return err
	}
	defer a.part.Close()
	if err := a.conn.ServeParts(a.config.Testbed.Name, a.part, a.config.Notice); err != nil {
		return err
	}
	return a.loop(ctx)
}

// loop takes one job after the other.
func (a *Agent) loop(ctx context.Context) error {
	for {
		if err := a.able(ctx); err != nil {
			return err
		}
		if err := a.handInOld(ctx); err != nil {
			return err
		}
		if err := a.use.wait(ctx); err != nil {
			return err
		}
		offer, err := a.next(ctx)
		if err != nil {
			return err
		}
		if err := a.workAlone(ctx, offer); err != nil {
			return err
		}
	}
}

// able waits until the testbed is the agent's and its disk has room.
func (a *Agent) able(ctx context.Context) error {
	for {
		if err := a.lease.wait(ctx, a.doing); err != nil {
			return err
		}
		free := safefile.FreeBytes(a.config.Dir)
		if free < 0 || free >= a.config.MinFree {
			return nil
		}
		reason := fmt.Sprintf("the disk of %s is full: %d MB are free, %d are needed", a.config.Dir, free>>20, a.config.MinFree>>20)
		if a.doing.set("paused", reason, nil) {
			a.config.Notice(reason)
		}
		if err := wait.Pause(ctx, fleet.Pause); err != nil {
			return err
		}
	}
}
