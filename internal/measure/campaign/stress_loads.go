package campaign

import (
	"context"
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/measure/campaign/rates"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/units"
)

// chooseLoads finds the loads of a direction: those of the scenario, or shares of what
// the DUT carries.
func (s *stressStudy) chooseLoads(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.Stress) error {
	if !dp.Scenario.Auto() {
		s.loads[k] = dp.Scenario.Loads
		return nil
	}
	s.stage(dp, fmt.Sprintf("finding what it carries %s", k.direction))
	c, err := rates.Capacity(ctx, s.Meter, dp, k.direction, size)
	if err != nil {
		return err
	}
	s.Observer.Noted(dp.Label, capacityWords(c))
	out.Capacities = append(out.Capacities, c)
	if c.PPS == 0 {
		out.Problems = append(out.Problems,
			fmt.Sprintf("%s: nothing arrived at the loads that were tried, so there are no loads to choose; see "+
				"the reasons below, or list loads, as --set loads=1k,2k,5k,10k", k.direction))
		return nil
	}
	if of := dp.Scenario.Stress.Of; of != "" {
		if c, err = capacityOf(s.Book, of, k); err != nil {
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
func capacityOf(r *kit.Book, label string, k stressKey) (record.Capacity, error) {
	for i, t := range r.Plan.Targets {
		if s := r.Result.DUTs[i].Stress; t.Label() == label && s != nil {
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
