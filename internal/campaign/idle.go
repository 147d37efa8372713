package campaign

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/trial"
)

// idleFor is how long a DUT is watched without traffic, unless trials are shorter.
const idleFor = time.Second

// watchIdle takes it once before a visit's trials and once after them.
func (r *run) watchIdle(ctx context.Context, dp *trial.Deployment, to **float64) (err error) {
	r.observer.Stage(dp.Label, "watching it idle")
	*to, err = dp.Idle(ctx, min(idleFor, r.plan.Scenario.Duration.Duration))
	return err
}
