package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/search"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
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

// chooseLoads finds the loads of a direction: those of the scenario, or shares of what
// the DUT carries.
func (s *stressStudy) chooseLoads(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.Stress) error {
	if !dp.Scenario.Auto() {
		s.loads[k] = dp.Scenario.Loads
		return nil
	}
	s.stage(dp, fmt.Sprintf("finding what it carries %s", k.direction))
	c, err := s.capacity(ctx, dp, k, size)
	if err != nil {
		return err
	}
	s.observer.Noted(dp.Label, capacityWords(c))
	out.Capacities = append(out.Capacities, c)
	if c.PPS == 0 {
		out.Problems = append(out.Problems,
			fmt.Sprintf("%s: nothing arrived at the loads that were tried, so there are no loads to choose; see "+
				"the reasons below, or list loads, as --set loads=1k,2k,5k,10k", k.direction))
		return nil
	}
	if of := dp.Scenario.Stress.Of; of != "" {
		if c, err = s.capacityOf(of, k); err != nil {
			return err
		}
	}
	s.loads[k] = sharesOf(c, dp.Scenario.Stress.Shares)
	if dp.Scenario.Stress.Of != "" { // one load is the same for all
		for i := range s.loads[k] {
			s.loads[k][i] = record.Load{PPS: s.loads[k][i].PPS}
		}
	}
	if left := len(dp.Scenario.Stress.Shares) - len(s.loads[k]); left > 0 {
		out.Problems = append(out.Problems,
			fmt.Sprintf("%s: %d of the loads are above what the generator sends (%s) and are left out",
				k.direction, left, units.Rate(c.HighestPPS)))
	}
	return nil
}

// capacityWords say in a line what a capacity is and what it rests on.
func capacityWords(c record.Capacity) string {
	if c.PPS == 0 {
		return fmt.Sprintf("nothing arrived %s", c.Direction)
	}
	least := ""
	if c.AtLeast {
		least = "at least "
	}
	return fmt.Sprintf("it carries %s%s %s, by %s: the loads are shares of it", least, units.Rate(c.PPS), c.Direction,
		units.Plural(max(c.Trials, 1), "trial"))
}

// capacityOf is what the DUT with the label carries, as found before.
func (r *book) capacityOf(label string, k stressKey) (record.Capacity, error) {
	for i, t := range r.plan.Targets {
		if s := r.result.DUTs[i].Stress; t.Label() == label && s != nil {
			for _, c := range s.Capacities {
				if c.Direction == k.direction && c.Size == k.size && c.PPS > 0 {
					return c, nil
				}
			}
		}
	}
	return record.Capacity{}, fmt.Errorf("what %s carries %s is not known, and stress.of makes the loads shares of it", label, k.direction)
}

// sharesOf are the loads that the generator can send, whole packets/s.
func sharesOf(c record.Capacity, shares []float64) (loads []record.Load) {
	for _, share := range shares {
		if pps := math.Round(share * c.PPS); pps >= 1 && pps <= c.HighestPPS {
			loads = append(loads, record.Load{Kind: record.LoadShare, PPS: pps, Share: share, Of: record.GoalCapacity})
		}
	}
	return loads
}

// capacity finds what a DUT carries of a size in a direction: with what the generator
// sends unpaced, then by MLRsearch with one loose goal.
func (r *meter) capacity(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize) (record.Capacity, error) {
	c := record.Capacity{Direction: k.direction, Size: k.size, LossRatio: capacityLoss}
	t, err := r.measure(ctx, dp,
		trial.Spec{Kind: record.KindLoad, Direction: k.direction, Size: size, Duration: plan.CapacityTrial, Unwatched: true})
	if err != nil {
		return c, err
	}
	c.HighestPPS = reach * t.TxPPS
	h := &hunt{meter: r, dp: dp, direction: k.direction, size: size}
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
