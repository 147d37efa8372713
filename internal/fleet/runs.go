package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go/jetstream"
)

// RunsOf gives what agents wrote about a job, in the order of writing, and the revision of
// the last of it, also of what cannot be decoded; 0: nobody wrote.
func (c *Conn) RunsOf(ctx context.Context, job string) (list []Run, last uint64, err error) {
	entries, err := entries(ctx, c.Runs, RunKey("*", job))
	for _, e := range entries {
		last = max(last, e.Revision())
		if r, err := DecodeRun(e.Key(), e.Value()); err == nil {
			list = append(list, r)
		}
	}
	return list, last, err
}

// ErrWritten is a report that was not written, because others wrote about the job.
var ErrWritten = errors.New("others wrote about the job meanwhile")

// Claim writes a report if the last one about its job, of all agents, has a revision: what
// was known of the job is still so then. Otherwise it is not written, which is ErrWritten.
// It is one message to the hub.
func (c *Conn) Claim(ctx context.Context, r Run, last uint64) error {
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	const prefix = "$KV." + bucketRuns + "."
	_, err = c.JS.Publish(ctx, prefix+RunKey(r.Agent, r.Job), data, jetstream.WithExpectLastSequenceForSubject(last, prefix+RunKey("*", r.Job)))
	var api *jetstream.APIError
	if errors.As(err, &api) && (api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence || api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequenceConstant) {
		return ErrWritten
	}
	return err
}

// The first NATS server that compares the revisions of several keys.
const serverMajor, serverMinor = 2, 11

// checkServer refuses a NATS server that would take two claims of one job.
func checkServer(version string) error {
	var major, minor int
	if _, err := fmt.Sscanf(version, "%d.%d", &major, &minor); err != nil {
		return fmt.Errorf("the NATS server has the version %q; upflab needs %d.%d", version, serverMajor, serverMinor)
	}
	if major < serverMajor || major == serverMajor && minor < serverMinor {
		return fmt.Errorf("the NATS server is %s, and upflab needs %d.%d: older ones would give one job to two agents", version, serverMajor, serverMinor)
	}
	return nil
}
