package measure

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/telemetry"
)

// idleFor is how long a DUT with its sessions up is watched without traffic.
const idleFor = time.Second

// idle is what the DUT uses, cores, while nothing is sent. nil: it has no CPU that
// is known.
func (b *bench) idle(ctx context.Context) (*float64, error) {
	if b.endpoint.Wire || len(b.subject.PIDs) == 0 && len(b.subject.NAPI) == 0 {
		return nil, nil
	}
	before, err := telemetry.Take(b.subject)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(idleFor):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	after, err := telemetry.Take(b.subject)
	if err != nil {
		return nil, err
	}
	cores := telemetry.Between(before, after).Cores
	return &cores, nil
}

// watchIdle takes it once before a visit's trials and once after them.
func (r *run) watchIdle(ctx context.Context, b *bench, to **float64) (err error) {
	r.observer.Stage(b.label, "watching it idle")
	*to, err = b.idle(ctx)
	return err
}
