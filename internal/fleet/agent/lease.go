package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/text/wait"
)

// errLeaseLost is the cause why a run was ended.
var errLeaseLost = errors.New("the hub was not reached for as long as a lease lasts, so that the testbed may be another's")

// lease is the right to a testbed. It is timed by a clock that nobody sets, from before
// the hub was asked: the hub's own end of it is later.
type lease struct {
	conn   *fleet.Client
	key    string
	mine   fleet.Lease
	notice func(string)

	mu       sync.Mutex
	revision uint64
	until    time.Time
	reason   string // why it is not the agent's
	renewed  func() // called at each renewal; nil: nobody
	lost     func(error)
}

func newLease(c *fleet.Client, t fleet.Testbed) *lease {
	boot, _ := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return &lease{conn: c, key: t.Name,
		mine:   fleet.Lease{Agent: t.Agent, Host: t.Host, Boot: strings.TrimSpace(string(boot)), PID: os.Getpid()},
		notice: func(string) {}}
}

// every is how often it is renewed.
func (l *lease) every() time.Duration { return min(l.conn.Settings.Lease/10, 2*time.Second) }

// patience is how long a renewal may take. It is up to four questions, for one that was given
// up may have been taken by the hub; on a slow hub less time would never be enough.
func (l *lease) patience() time.Duration {
	return max(l.every(), min(l.conn.Settings.Lease/4, fleet.Each))
}

// keep takes the lease and renews it until ctx ends.
func (l *lease) keep(ctx context.Context) {
	for ctx.Err() == nil {
		asked := time.Now()
		limited, stop := context.WithTimeout(ctx, l.left(l.patience()))
		err := l.renew(limited)
		stop()
		l.note(asked, err)
		if wait.Pause(ctx, l.left(l.every())) != nil {
			return
		}
	}
}

// left is a time, but no longer than the lease lasts, for at its end a run has to end, too.
func (l *lease) left(d time.Duration) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	if left := time.Until(l.until); left > 0 {
		return min(left, d)
	}
	return d
}

// errLapsed is a lease that was nobody's for a while, and is the agent's again: another
// one may have begun what this one does.
var errLapsed = fmt.Errorf("it had ended: %w", errLeaseLost)

// renew prolongs the lease, or takes it when it is free.
func (l *lease) renew(ctx context.Context) error {
	l.mu.Lock()
	revision := l.revision
	l.mu.Unlock()
	given, err := fleet.Question[fleet.LeaseGiven](ctx, l.conn, fleet.MethodLease,
		fleet.LeaseAsked{Testbed: l.key, Lease: l.mine, Revision: revision})
	if err != nil {
		return err
	}
	if given.Taken != nil {
		return takenError{l.key, *given.Taken}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	lapsed := l.revision != 0 && given.Created
	l.revision = given.Revision
	if lapsed {
		return errLapsed
	}
	return nil
}

// takenError says that another agent holds the lease of the testbed.
type takenError struct {
	testbed string
	by      fleet.Lease
}

func (e takenError) Error() string {
	return fmt.Sprintf("testbed %s is agent %s's, on host %s", e.testbed, e.by.Agent, e.by.Host)
}

// note takes the answer to a renewal that was asked for at a time.
func (l *lease) note(asked time.Time, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var taken takenError
	switch {
	case err == nil, errors.Is(err, errLapsed):
		l.until, l.reason = asked.Add(l.conn.Settings.Lease), ""
		if err != nil && l.lost != nil {
			l.lost(err)
		} else if l.renewed != nil {
			l.renewed()
		}
		return
	case errors.As(err, &taken):
		l.until, l.revision, l.reason = time.Time{}, 0, taken.Error()
	default:
		l.reason = "the hub does not answer: " + err.Error()
	}
	if l.lost != nil && !time.Now().Before(l.until) {
		l.lost(errLeaseLost)
	}
}

// during has a run ended when the lease is lost, and renewed called as long as it is not.
func (l *lease) during(renewed func(), lost func(error)) (end func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.renewed, l.lost = renewed, lost
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.renewed, l.lost = nil, nil
	}
}

func (l *lease) held() (bool, string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return time.Now().Before(l.until), l.reason
}

// wait waits until the testbed is the agent's.
func (l *lease) wait(ctx context.Context, d *doing) error {
	for {
		held, reason := l.held()
		if held {
			return ctx.Err()
		}
		if reason != "" && d.set("paused", reason, nil) {
			l.notice(reason)
		}
		if err := wait.Pause(ctx, 20*time.Millisecond); err != nil {
			return err
		}
	}
}

// release gives the testbed back.
func (l *lease) release() {
	l.mu.Lock()
	revision := l.revision
	l.mu.Unlock()
	ctx, stop := context.WithTimeout(context.Background(), fleet.Each)
	defer stop()
	_, _ = fleet.Question[struct{}](ctx, l.conn, fleet.MethodLease,
		fleet.LeaseAsked{Testbed: l.key, Lease: l.mine, Revision: revision, Release: true}) // else it ends by itself
}
