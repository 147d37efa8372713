package fleet

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/upflab/upflab/internal/fleet/wire"
)

// RunsOf gives what was written about a job, as it was signed, in the order of writing, and the
// revision of the last of it, also of what cannot be decoded; 0: nobody wrote.
func (c *Conn) RunsOf(ctx context.Context, job string) (known RunsKnown, err error) {
	entries, err := entries(ctx, c.Runs, RunKey("*", job))
	for _, e := range entries {
		known.Last = max(known.Last, e.Revision())
		if r, err := c.DecodeRun(e.Key(), e.Value()); err == nil {
			known.Runs = append(known.Runs, RunKnown{Key: e.Key(), Report: e.Value(), Held: r.State == Started && c.holds(ctx, r)})
		}
	}
	return known, err
}

// BegunBy gives what an agent has begun, and has not said how it ended.
func (c *Conn) BegunBy(ctx context.Context, agent string) (known RunsKnown, err error) {
	entries, err := entries(ctx, c.Runs, RunKey(agent, "*"))
	for _, e := range entries {
		if r, err := c.DecodeRun(e.Key(), e.Value()); err == nil && r.State == Started {
			known.Runs = append(known.Runs, RunKnown{Key: e.Key(), Report: e.Value()})
		}
	}
	return known, err
}

// holds reports whether the testbed of a run is still its agent's.
func (c *Conn) holds(ctx context.Context, r Run) bool {
	e, err := c.Leases.Get(ctx, r.Testbed)
	if errors.Is(err, jetstream.ErrKeyNotFound) || errors.Is(err, jetstream.ErrInvalidKey) {
		return false
	}
	if err != nil {
		return true // as long as that is not known
	}
	l, err := JSON[Lease]("", e.Value())
	return err == nil && l.Agent == r.Agent
}

// ErrWritten is a report that was not written, because others wrote about the job.
var ErrWritten = errors.New("others wrote about the job meanwhile")

// Claim writes a signed report of an agent if the last one about its job, of all agents, has
// a revision: what was known of the job is still so then. Otherwise it is not written, which
// is ErrWritten. It is one message to the hub.
func (c *Conn) Claim(ctx context.Context, agent, job string, signed []byte, last uint64) error {
	_, err := c.JS.Publish(ctx, wire.Key(bucketRuns, RunKey(agent, job)), signed, jetstream.WithExpectLastSequenceForSubject(last, wire.Key(bucketRuns, RunKey("*", job))))
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence ||
		api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return ErrWritten
	}
	return err
}

// PutRun writes what the client says of a run.
func (c *Conn) PutRun(ctx context.Context, r Run) error {
	signed, err := r.Sign(c.Self)
	if err == nil {
		_, err = c.Runs.Put(ctx, RunKey(r.Agent, r.Job), signed)
	}
	return err
}

// AllRuns gives all reports that are of who they say they are, in the order of writing. Each is
// verified once: a campaign of 10 000 jobs is looked at every few seconds.
func (c *Conn) AllRuns(ctx context.Context) (list []Run, err error) {
	entries, err := entries(ctx, c.Runs, ">")
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	verified := map[uint64]Run{}
	for _, e := range entries {
		r, known := c.verified[e.Revision()]
		if !known {
			if r, err = c.DecodeRun(e.Key(), e.Value()); err != nil {
				continue
			}
		}
		verified[e.Revision()] = r
		list = append(list, r)
	}
	c.verified = verified
	return list, nil
}

// DecodeRun is DecodeRun by what the client knows.
func (c *Conn) DecodeRun(key string, data []byte) (Run, error) { return DecodeRun(c.Self, key, data) }

// The first NATS server that compares the revisions of several keys.
const serverMajor, serverMinor = 2, 11

// checkServer refuses a NATS server that would take two claims of one job.
func checkServer(version string) error {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("the NATS server has the version %q; upflab needs %d.%d", version, serverMajor, serverMinor)
	}
	if major < serverMajor || major == serverMajor && minor < serverMinor {
		return fmt.Errorf("the NATS server is %s, and upflab needs %d.%d: older ones would give one job "+
			"to two agents", version, serverMajor, serverMinor)
	}
	return nil
}
