// Package client is where a campaign is started, watched and collected: it puts jobs into
// a hub's queue, and results from the hub into the store of results.
package client

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

const plansBucket = "upflab_plans"

// Submit queues the jobs of a campaign that have no outcome and are not queued. A
// campaign of that name which was submitted before is replaced: what it measured is
// kept, what it has in the queue and this one has not is taken off.
//
// A hub that is restarted meanwhile is asked again: each step may be done twice.
func Submit(ctx context.Context, c *fleet.Conn, p *fleet.Plan) (queued int, err error) {
	err = c.Persist(ctx, submitFor, func(ctx context.Context) error {
		n, err := submit(ctx, c, p)
		queued += n
		return err
	})
	return queued, err
}

// submitFor is how long one attempt to queue a campaign may take.
const submitFor = time.Minute

func submit(ctx context.Context, c *fleet.Conn, p *fleet.Plan) (queued int, err error) {
	if err := withdraw(ctx, c, p); err != nil {
		return 0, err
	}
	if err := announce(ctx, c, p); err != nil {
		return 0, err
	}
	if err := savePlan(ctx, c, p); err != nil {
		return 0, err
	}
	return Requeue(ctx, c, p, nil)
}

// announce makes the queues of a campaign's classes and tells the agents of them, as far as
// the hub does not know them.
func announce(ctx context.Context, c *fleet.Conn, p *fleet.Plan) error {
	for id, class := range p.Classes() {
		if err := fleet.MakeConsumer(ctx, c, id); err != nil {
			return fmt.Errorf("make the queue of a class of jobs: %w", err)
		}
		_, err := c.Classes.Get(ctx, id)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			err = fleet.Put(ctx, c.Classes, id, class)
		}
		if err != nil {
			return fmt.Errorf("announce a class of jobs: %w", err)
		}
	}
	return nil
}

// withdraw takes jobs off the queue that an earlier plan has, and this one has not.
func withdraw(ctx context.Context, c *fleet.Conn, p *fleet.Plan) error {
	old, err := LoadPlan(ctx, c, p.Campaign)
	if errors.Is(err, ErrNoPlan) {
		return nil
	}
	if err != nil {
		return err
	}
	keep := map[string]bool{}
	for _, j := range p.Jobs {
		keep[j.ID] = true
	}
	gone := &fleet.Plan{Campaign: old.Campaign}
	for _, j := range old.Jobs {
		if !keep[j.ID] {
			gone.Jobs = append(gone.Jobs, j)
		}
	}
	_, err = Stop(ctx, c, gone)
	return err
}

// Stop takes jobs off the queue. Those under way are not ended.
func Stop(ctx context.Context, c *fleet.Conn, p *fleet.Plan) (stopped int, err error) {
	waiting, err := queue(ctx, c)
	if err != nil {
		return 0, err
	}
	stream, err := c.JS.Stream(ctx, fleet.JobStream)
	if err != nil {
		return 0, err
	}
	for _, j := range p.Jobs {
		subject := fleet.JobSubject(j.Class.ID(), j.ID)
		if !waiting[subject] {
			continue
		}
		if err := stream.Purge(ctx, jetstream.WithPurgeSubject(subject)); err != nil {
			return stopped, fmt.Errorf("take %s off the queue: %w", j.Name, err)
		}
		stopped++
	}
	return stopped, nil
}

// Requeue queues the jobs that have no outcome and are not in the queue. settled are
// those that are known to have one; nil: the hub is asked.
func Requeue(ctx context.Context, c *fleet.Conn, p *fleet.Plan, settled map[string]bool) (queued int, err error) {
	waiting, err := queue(ctx, c)
	if err != nil {
		return 0, err
	}
	if settled == nil { // asked after the queue: a job is off the queue when it has its outcome
		if settled, err = outcomes(ctx, c); err != nil {
			return 0, err
		}
	}
	var acks []jetstream.PubAckFuture
	for _, j := range p.Jobs {
		subject := fleet.JobSubject(j.Class.ID(), j.ID)
		if settled[j.ID] || waiting[subject] {
			continue
		}
		data, err := j.Sign(c.Self)
		if err != nil {
			return 0, err
		}
		ack, err := c.JS.PublishAsync(subject, data)
		if err != nil {
			return 0, fmt.Errorf("queue %s: %w", j.Name, err)
		}
		acks = append(acks, ack)
	}
	return countQueued(ctx, acks)
}

func countQueued(ctx context.Context, acks []jetstream.PubAckFuture) (queued int, err error) {
	for _, ack := range acks {
		select {
		case <-ack.Ok():
			queued++
		case err := <-ack.Err():
			if !isQueuedAlready(err) {
				return queued, fmt.Errorf("queue a job: %w", err)
			}
		case <-time.After(fleet.Each): // a cluster without a leader never answers
			return queued, fmt.Errorf("queue a job: %w", nats.ErrTimeout)
		case <-ctx.Done():
			return queued, ctx.Err()
		}
	}
	return queued, nil
}

// isQueuedAlready recognises the refusal of a second message with a job's subject.
func isQueuedAlready(err error) bool {
	var api *jetstream.APIError
	const perSubject = "maximum messages per subject exceeded"
	return errors.As(err, &api) && api.Description == perSubject
}

// queue gives the subjects of all jobs in the queue, also of those under way.
func queue(ctx context.Context, c *fleet.Conn) (map[string]bool, error) {
	stream, err := c.JS.Stream(ctx, fleet.JobStream)
	if err != nil {
		return nil, fmt.Errorf("look at the queue: %w", err)
	}
	info, err := stream.Info(ctx, jetstream.WithSubjectFilter("upflab.job.>"))
	if err != nil {
		return nil, fmt.Errorf("look at the queue: %w", err)
	}
	waiting := map[string]bool{}
	for subject := range info.State.Subjects {
		waiting[subject] = true
	}
	return waiting, nil
}

// outcomes are the jobs that have one.
func outcomes(ctx context.Context, c *fleet.Conn) (map[string]bool, error) {
	runs, err := c.AllRuns(ctx)
	if err != nil {
		return nil, fmt.Errorf("look at what was measured: %w", err)
	}
	settled := map[string]bool{}
	for _, r := range runs {
		settled[r.Job] = settled[r.Job] || r.Final()
	}
	return settled, nil
}

// ErrNoPlan is a campaign that the hub does not know.
var ErrNoPlan = errors.New("the hub knows no campaign of that name; `upflab campaign status` lists them")

func savePlan(ctx context.Context, c *fleet.Conn, p *fleet.Plan) error {
	store, err := c.JS.ObjectStore(ctx, plansBucket)
	if err != nil {
		return fmt.Errorf("open the store of campaigns: %w", err)
	}
	data, err := p.Pack(c.Self)
	if err != nil {
		return err
	}
	if _, err := store.PutBytes(ctx, p.Campaign, data); err != nil {
		return fmt.Errorf("keep the campaign at the hub: %w", err)
	}
	return nil
}

// LoadPlan reads a campaign from the hub.
func LoadPlan(ctx context.Context, c *fleet.Conn, name string) (*fleet.Plan, error) {
	store, err := c.JS.ObjectStore(ctx, plansBucket)
	if err != nil {
		return nil, fmt.Errorf("open the store of campaigns: %w", err)
	}
	data, err := store.GetBytes(ctx, name)
	if errors.Is(err, jetstream.ErrObjectNotFound) {
		return nil, fmt.Errorf("%s: %w", name, ErrNoPlan)
	}
	if err != nil {
		return nil, fmt.Errorf("read campaign %s: %w", name, err)
	}
	p, err := fleet.UnpackPlan(c.Self, data)
	if err != nil {
		return nil, fmt.Errorf("read campaign %s: %w; submit it again under another name", name, err)
	}
	if p.Campaign != name {
		return nil, fmt.Errorf("read campaign %s: the hub has campaign %s there", name, p.Campaign)
	}
	return p, nil
}

// Campaigns are the names of those the hub knows.
func Campaigns(ctx context.Context, c *fleet.Conn) (names []string, err error) {
	store, err := c.JS.ObjectStore(ctx, plansBucket)
	if err != nil {
		return nil, fmt.Errorf("open the store of campaigns: %w", err)
	}
	list, err := store.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		return nil, nil
	}
	for _, o := range list {
		names = append(names, o.Name)
	}
	return names, err
}
