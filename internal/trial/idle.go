package trial

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/telemetry"
)

// Idle is what the DUT with its sessions up uses, cores, while nothing is sent for a time.
// nil: it has no CPU that is known.
func (dp *Deployment) Idle(ctx context.Context, d time.Duration) (*float64, error) {
	if dp.Endpoint.IsWire() || len(dp.subject.Processes()) == 0 && len(dp.subject.NAPI) == 0 {
		return nil, nil
	}
	before, err := telemetry.Take(dp.subject)
	if err != nil {
		return nil, err
	}
	select {
	case <-time.After(d):
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
