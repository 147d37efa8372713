package agent

import (
	"context"
	"os"
	"path/filepath"
	"time"

	"github.com/upflab/upflab/internal/fleet"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/wait"
)

// Simulated is a Runner that measures nothing: it waits, and writes an empty result. It
// is for tests, and for `upflab bench --fleet`, which measure hubs and agents.
type Simulated struct {
	For     time.Duration // one job
	Version string        // of upflab, that the result names
	// Begun and Ended are told of each run; nil: nobody.
	Begun, Ended func(j fleet.Job)
}

// Run implements Runner: it waits as long as a job would take and measures nothing.
func (s Simulated) Run(ctx context.Context, j fleet.Job, t fleet.Testbed, dir string) (int, error) {
	if s.Begun != nil {
		s.Begun(j)
	}
	if s.Ended != nil {
		defer s.Ended(j)
	}
	if wait.Pause(ctx, s.For) != nil {
		return 1, nil
	}
	if err := os.WriteFile(filepath.Join(dir, logName), []byte("simulated\n"), 0o644); err != nil {
		return 0, err
	}
	r := &record.Result{Schema: record.Schema, Run: "simul", Scenario: "simulated", Settings: j.Scenario, Started: time.Now(),
		Complete: true, Tool: record.Tool{Version: s.Version}}
	r.Finished = r.Started
	return 0, store.Save(filepath.Join(dir, resultName), r)
}
