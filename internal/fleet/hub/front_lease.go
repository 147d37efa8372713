package hub

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet"
)

// lease gives a testbed to an agent that may serve it, prolongs that, or ends it.
func (f *front) lease(ctx context.Context, s *served, q fleet.LeaseAsked) (g fleet.LeaseGiven, err error) {
	if err := s.may(q.Testbed); err != nil {
		return g, err
	}
	q.Lease.Agent = s.name()
	if q.Release {
		return g, f.release(ctx, q)
	}
	data, err := json.Marshal(q.Lease)
	if err != nil || len(data) > maxSaid {
		return g, errors.Join(err, errors.New("the lease is too long"))
	}
	if q.Revision != 0 {
		g.Revision, err = f.renew(ctx, q, data)
	}
	if q.Revision == 0 || errors.Is(err, jetstream.ErrKeyExists) {
		return f.take(ctx, q, data)
	}
	return g, err
}

// renew prolongs a lease that is the agent's. Revisions count up from 1, so that who may serve
// the same testbed could guess that of another's lease.
func (f *front) renew(ctx context.Context, q fleet.LeaseAsked, data []byte) (uint64, error) {
	entry, err := f.conn.Leases.Get(ctx, q.Testbed)
	if errors.Is(err, jetstream.ErrKeyNotFound) {
		return 0, jetstream.ErrKeyExists // it has expired: it may be taken anew
	}
	if err != nil {
		return 0, err
	}
	if theirs, err := fleet.JSON[fleet.Lease]("", entry.Value()); err != nil || theirs.Agent != q.Lease.Agent {
		return 0, jetstream.ErrKeyExists
	}
	return f.conn.Leases.Update(ctx, q.Testbed, data, q.Revision)
}

// take takes a lease that is free, which creates it, or one that a predecessor on the same
// host held: a lock on that host says that it is gone.
func (f *front) take(ctx context.Context, q fleet.LeaseAsked, data []byte) (g fleet.LeaseGiven, err error) {
	g.Revision, err = f.conn.Leases.Create(ctx, q.Testbed, data)
	if !errors.Is(err, jetstream.ErrKeyExists) {
		g.Created = err == nil
		return g, err
	}
	entry, err := f.conn.Leases.Get(ctx, q.Testbed)
	if err != nil {
		return g, err
	}
	theirs, err := fleet.JSON[fleet.Lease]("", entry.Value())
	if err != nil {
		return g, fmt.Errorf("the lease of %s is damaged: %w", q.Testbed, err)
	}
	if theirs.Agent != q.Lease.Agent || theirs.Boot != q.Lease.Boot {
		return fleet.LeaseGiven{Taken: &theirs}, nil
	}
	g.Revision, err = f.conn.Leases.Update(ctx, q.Testbed, data, entry.Revision())
	return g, err
}

// release ends a lease that is the agent's.
func (f *front) release(ctx context.Context, q fleet.LeaseAsked) error {
	entry, err := f.conn.Leases.Get(ctx, q.Testbed)
	if err != nil {
		return err
	}
	theirs, err := fleet.JSON[fleet.Lease]("", entry.Value())
	if err != nil || theirs.Agent != q.Lease.Agent || entry.Revision() != q.Revision {
		return errors.New("the lease is not the agent's any more")
	}
	return f.conn.Leases.Delete(ctx, q.Testbed, jetstream.LastRevision(q.Revision))
}
