package rates

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// What a capacity is: what a DUT carries with at most capacityLoss, to capacityWidth. Less
// loss than that is had far below saturation where a queue is short and its CPU is taken
// now and then.
const (
	capacityLoss   = 0.05
	capacityWidth  = 0.03
	capacityBudget = 20 * time.Second
	// reach is the share of what the generator sent unpaced that it surely sends paced.
	reach = 0.95
)

// Capacity finds what a DUT carries of a size in a direction: with what the generator
// sends unpaced, then by MLRsearch with one loose goal.
func Capacity(ctx context.Context, r *kit.Meter, dp *trial.Deployment, d record.Direction, size scenario.PacketSize) (record.Capacity, error) {
	c := record.Capacity{Direction: d, Size: size.Name, LossRatio: capacityLoss}
	t, err := r.Measure(ctx, dp,
		trial.Spec{Kind: record.KindLoad, Direction: d, Size: size, Duration: plan.CapacityTrial, Unwatched: true})
	if err != nil {
		return c, err
	}
	c.HighestPPS = reach * t.TxPPS
	h := &hunt{Meter: r, dp: dp, direction: d, size: size}
	m := capacitySearch(c.HighestPPS)
	if m.MaxPPS <= m.MinPPS {
		return c, nil
	}
	report, err := m.Run(ctx, h.trial)
	if err != nil && (ctx.Err() != nil || errors.Is(err, search.ErrSettings) || dp.Alive() != nil) {
		return c, errors.Join(ctx.Err(), err)
	}
	c.Trials = len(report.Trials) + 1
	c.PPS = t.RxPPS // of a DUT that has no bound: what arrived unpaced
	if g, ok := report.Goal(string(record.GoalCapacity)); ok && g.LowerBound != nil {
		c.PPS, c.AtLeast = g.LowerBound.PPS, g.UpperBound == nil
	}
	return c, nil
}

// lowestCapacity is the lowest load that is tried, packets/s.
const lowestCapacity = 500

func capacitySearch(highest float64) search.MLRsearch {
	return search.MLRsearch{
		MinPPS: lowestCapacity, MaxPPS: highest,
		Goals: []search.Goal{{Name: string(record.GoalCapacity), LossRatio: capacityLoss, Width: capacityWidth, ExceedRatio: 0.5,
			InitialTrialDuration: plan.CapacityTrial, FinalTrialDuration: plan.CapacityTrial, DurationSum: 2 * plan.CapacityTrial}},
		Limits: search.Limits{Budget: capacityBudget},
	}
}
