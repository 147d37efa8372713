package client

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

// Campaign follows a campaign.
type Campaign struct {
	Conn *fleet.Conn
	Plan *fleet.Plan
	Out  string // the store of results
	// Notice is told what happens, a line each.
	Notice func(string)
	// Once: collect what is there, and do not wait for the rest.
	Once bool

	jobs    map[string]fleet.Job
	settled map[string]fleet.Run // by job
	told    map[uint64]bool      // the reports of given up jobs that the notice was told of
	read    map[string][]string  // reports as they were signed, by key, in the order of writing
}

// lookEvery is how often the queue is looked at: whether a job is missing in it, and
// whether there is a testbed for all.
const lookEvery = 10 * time.Second

// Follow collects results until each job has its outcome, and gives the outcomes by job.
func (d *Campaign) Follow(ctx context.Context) (map[string]fleet.Run, error) {
	d.jobs, d.settled, d.told = map[string]fleet.Job{}, map[string]fleet.Run{}, map[uint64]bool{}
	d.read = map[string][]string{}
	for _, j := range d.Plan.Jobs {
		d.jobs[j.ID] = j
		if r, ok := has(d.Out, j); ok {
			d.settled[j.ID] = r
		}
	}
	err := d.Conn.Persist(ctx, watchFor, func(ctx context.Context) error {
		err := d.watchAll(ctx)
		if errors.Is(context.Cause(ctx), fleet.ErrBroken) {
			d.Notice("the connection to the hub was lost; what is measured meanwhile is collected when it is back")
		}
		return err
	})
	return d.settled, err
}

// watchFor is how long reports are watched before the watch is begun again.
const watchFor = time.Hour

func (d *Campaign) finished() bool { return len(d.settled) >= len(d.jobs) }

// silentFor is how long no report may come before the watch is begun again: a member of a
// cluster that is gone sends no more of them, and the client does not always notice.
const silentFor = 3 * lookEvery

// watchAll reads reports until all is settled.
func (d *Campaign) watchAll(ctx context.Context) error {
	for !d.finished() {
		if err := d.watch(ctx); err != nil || d.Once {
			return err
		}
	}
	return nil
}

// watch reads reports until all is settled, or none came for silentFor. It is begun again
// then, and when the connection was lost, and then has all reports from the first one on.
func (d *Campaign) watch(ctx context.Context) error {
	w, stop, err := fleet.Watch(ctx, d.Conn.Runs, ">")
	if err != nil {
		return fmt.Errorf("watch what is measured: %w", err)
	}
	defer stop()
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	heard := time.Now()
	for !d.finished() && time.Since(heard) < silentFor {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-look.C:
			d.look(ctx)
		case e, open := <-w.Updates():
			heard = time.Now()
			switch {
			case !open:
				return fleet.ErrBroken
			case e == nil && d.Once:
				return nil
			case e == nil:
				d.look(ctx)
				continue
			}
			if err := d.heard(ctx, e); err != nil {
				return err
			}
		}
	}
	return nil
}

// heard takes one report.
func (d *Campaign) heard(ctx context.Context, e jetstream.KeyValueEntry) error {
	r, err := d.Conn.DecodeRun(e.Key(), e.Value())
	if err != nil {
		d.Notice("a report was refused: " + fleet.Printable(err.Error()))
		return nil
	}
	j, ours := d.jobs[r.Job]
	if _, known := d.settled[r.Job]; !ours || known {
		return nil
	}
	if d.isOlder(e) {
		d.Notice(fmt.Sprintf("%s: a report of agent %s was refused: it is an older one, which came again", j.Name, r.Agent))
		if r.Final() {
			return d.refuse(ctx, r, errors.New("an older report came again"))
		}
		return nil
	}
	if r.State == fleet.Lost && !d.told[e.Revision()] {
		d.told[e.Revision()] = true
		d.Notice(fmt.Sprintf("%s was given up by agent %s, and goes to another: %s", j.Name, r.Agent, fleet.Printable(r.Error)))
	}
	if !r.Final() {
		return nil
	}
	return d.settle(ctx, j, r)
}

// isOlder reports whether an entry is a report that was read before, and then followed by another
// with the same key: somebody who broke into the hub can write that there again. An agent that did
// not hear that its report was written sends that once more, before another.
func (d *Campaign) isOlder(e jetstream.KeyValueEntry) bool {
	sum := sha256.Sum256(e.Value())
	known, this := d.read[e.Key()], string(sum[:])
	if n := len(known); n > 0 && known[n-1] == this {
		return false
	}
	if slices.Contains(known, this) {
		return true
	}
	d.read[e.Key()] = append(known, this)
	return false
}

// settle collects a result. One that is refused is as if it were not there.
func (d *Campaign) settle(ctx context.Context, j fleet.Job, r fleet.Run) error {
	left, err := collect(ctx, d.Conn, d.Out, d.Plan, j, r)
	var refused refusedError
	switch {
	case errors.As(err, &refused):
		d.Notice(fmt.Sprintf("%s: the result of agent %s was refused: %s", j.Name, r.Agent, fleet.Printable(err.Error())))
		return d.refuse(ctx, r, err)
	case errors.Is(err, errGone):
		d.Notice(fmt.Sprintf("%s: %v", j.Name, err))
	case err != nil:
		return fmt.Errorf("%s: %w", j.Name, err)
	}
	if left != "" {
		d.Notice(fmt.Sprintf("%s: not kept of agent %s, because runs write no such files: %s", j.Name, r.Agent, left))
	}
	d.settled[j.ID] = r
	release(ctx, d.Conn, r)
	line := fmt.Sprintf("%d/%d  %s  %s on %s, %s", len(d.settled), len(d.jobs), j.Name, r.State, r.Testbed, r.Took.Round(time.Second))
	if r.State == fleet.Failed {
		line += ": " + fleet.Printable(r.Error)
	}
	d.Notice(line)
	return nil
}

// refuse makes a job one that the agent gave up. It counts as an attempt.
func (d *Campaign) refuse(ctx context.Context, r fleet.Run, why error) error {
	r.State, r.Error, r.Object = fleet.Lost, "its result was refused: "+fleet.Printable(why.Error()), ""
	r.Attempts = max(r.Attempts, 1)
	_, err := fleet.Ask(ctx, func(ctx context.Context) (int, error) {
		if err := d.Conn.PutRun(ctx, r); err != nil {
			return 0, fmt.Errorf("refuse a result: %w", err)
		}
		return Requeue(ctx, d.Conn, &fleet.Plan{Jobs: []fleet.Job{d.jobs[r.Job]}}, map[string]bool{})
	})
	return err
}

// look announces and queues again what a hub forgot that was killed, and says which jobs
// no testbed can do. A hub that does not answer is asked at the next look.
func (d *Campaign) look(ctx context.Context) {
	if d.Once {
		return
	}
	ctx, stop := context.WithTimeout(ctx, lookEvery)
	defer stop()
	if err := announce(ctx, d.Conn, d.Plan); err != nil {
		return
	}
	if n, err := Requeue(ctx, d.Conn, d.Plan, nil); err == nil && n > 0 {
		d.Notice(fmt.Sprintf("%d jobs were missing in the queue, and were queued again", n))
	}
	testbeds, err := fleet.All(ctx, d.Conn.Testbeds, ">", fleet.JSON[fleet.Testbed])
	if err != nil {
		return
	}
	for _, line := range Stuck(d.Plan, d.settled, testbeds) {
		d.Notice(line)
	}
}
