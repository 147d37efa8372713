package verify

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/rates"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/results/rawdata"
	"github.com/upflab/upflab/internal/scenario"
)

// searchAgain searches again with the trials of a search. One whose trials have no raw data, or that
// looks for bursts, stays as it is.
func searchAgain(raw *rawdata.Run, s *scenario.Scenario, r *record.Result, dut, n int, c *coverage) error {
	d := &r.DUTs[dut]
	given := &d.Searches[n]
	var made []rates.MadeTrial
	for _, t := range given.Trials {
		if t.Raw == 0 {
			return nil
		}
		x, err := searchTrial(raw, s, d, t.Raw)
		if err != nil {
			return err
		}
		made = append(made, x)
	}
	if err := wiresAgain(raw, s, given); err != nil {
		return err
	}
	if len(made) == 0 || given.Method == record.MethodBackToBack {
		return nil
	}
	path := fmt.Sprintf("duts[%d].searches[%d]", dut, n)
	c.trials += len(made)
	found, err := rates.Again(s, *given, made)
	if err != nil {
		found.Trials = nil // so that all of them differ
	}
	d.Searches[n] = found
	for _, part := range []string{"trials", "goals", "curve", "ndr_pps", "pdr_pps", "throughput_pps", "valid", "limited_by", "reason_codes"} {
		c.add("%s.%s", path, part)
	}
	for i := range given.Trials {
		c.except = append(c.except, fmt.Sprintf("%s.trials[%d].ended_ns", path, i))
	}
	for i := range given.Goals {
		c.except = append(c.except, fmt.Sprintf("%s.goals[%d].wire.trials", path, i),
			fmt.Sprintf("%s.goals[%d].reasons", path, i)) // they have times of the clock
	}
	return nil
}

func searchTrial(raw *rawdata.Run, s *scenario.Scenario, d *record.DUT, id uint64) (rates.MadeTrial, error) {
	t, err := trialOf(raw, s, d, &record.Trial{Raw: id})
	if err != nil {
		return rates.MadeTrial{}, err
	}
	x, err := raw.Trial(id)
	if err != nil {
		return rates.MadeTrial{}, err
	}
	return rates.MadeTrial{Trial: t, Silent: time.Duration(x.Spec.SilentNS)}, nil
}

// wiresAgain computes what wire did at the rates of goals.
func wiresAgain(raw *rawdata.Run, s *scenario.Scenario, given *record.Search) error {
	for i := range given.Goals {
		g := &given.Goals[i]
		if g.Wire == nil || g.Wire.Raw == 0 {
			continue
		}
		r, err := raw.Trial(g.Wire.Raw)
		if err != nil {
			return err
		}
		t := r.Recompute(s)
		t.Raw = g.Wire.Raw
		w := rates.WireAgain(*g.Wire, g.LossRatio, t)
		g.Wire = &w
	}
	return nil
}
