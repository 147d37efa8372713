package trial

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/telemetry"
)

// idleFor is how long a DUT with its sessions up is watched without traffic.
const idleFor = time.Second

// Idle is what the DUT uses, cores, while nothing is sent. nil: it has no CPU that
// is known.
func (dp *Deployment) Idle(ctx context.Context) (*float64, error) {
	if dp.Endpoint.Wire || len(dp.subject.PIDs) == 0 && len(dp.subject.NAPI) == 0 {
		return nil, nil
	}
	before, err := telemetry.Take(dp.subject)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(idleFor):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	after, err := telemetry.Take(dp.subject)
	if err != nil {
		return nil, err
	}
	cores := telemetry.Between(before, after).Cores
	return &cores, nil
}
