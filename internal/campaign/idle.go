package campaign

import (
	"context"

	"github.com/upflab/upflab/internal/trial"
)

// watchIdle takes it once before a visit's trials and once after them.
func (r *run) watchIdle(ctx context.Context, dp *trial.Deployment, to **float64) (err error) {
	r.observer.Stage(dp.Label, "watching it idle")
	*to, err = dp.Idle(ctx)
	return err
}
