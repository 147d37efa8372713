package campaign

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/trial"
)

// traffic of a timeline lasts so long, at the load that is nearest to so much of the
// capacity.
const (
	timelineTraffic = 3 * time.Second
	timelineShare   = 0.8
)

// timeline follows a DUT before, during and after the traffic of one trial.
func (r *run) timeline(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.Stress) error {
	around := dp.Scenario.Stress.Around.Duration
	if around == 0 {
		return nil
	}
	r.observer.Stage(dp.Label, "following it before, during and after traffic, "+string(k.direction))
	line, _, err := dp.Timeline(ctx, trial.Spec{Kind: record.KindLoad, Direction: k.direction, Size: size, Load: nearest(r.study.loads[k], timelineShare),
		Arrivals: r.study.process(), Duration: min(timelineTraffic, around)}, around)
	if err != nil {
		return err
	}
	out.Timelines = append(out.Timelines, line)
	return nil
}
