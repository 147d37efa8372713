package campaign

import (
	"context"
	"errors"
	"fmt"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/measure/campaign/rates"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// visitLoads measures the trials, searches and soaks of a DUT, of each family by itself.
func visitLoads(ctx context.Context, v *visit) error {
	for _, s := range v.Plan.Stacks(v.repeat) {
		if len(s.Families) > 0 {
			v.Result.Order.Visit(v.repeat, compare.LabelIn(v.target.Name(), v.target.Mode, string(s.Families[0])))
		}
		if err := v.loads(ctx, s); err != nil {
			return err
		}
	}
	return nil
}

// loads brings the DUT up with sessions of one family.
func (v *visit) loads(ctx context.Context, s *scenario.Scenario) (err error) {
	out, config := v.out, v.Config(v.target)
	config.Scenario = s
	dp, err := v.OpenWith(ctx, config, out)
	if dp != nil {
		defer func() {
			dp.NoteSockets(out)
			err = errors.Join(err, dp.Close())
			dp.SMF.Note(out)
		}()
	}
	if err != nil {
		return err
	}
	v.study.openTaps(dp, out)
	if err := v.WatchIdle(ctx, dp.Bench, &out.Setup.IdleCores); err != nil {
		return err
	}
	first := len(out.Trials)
	for _, spec := range v.trials(s) {
		v.step++
		trial, err := v.Trial(ctx, dp, v.first+v.step, spec)
		if err != nil {
			return err
		}
		out.Trials = append(out.Trials, trial)
		if err := v.Save(); err != nil {
			return err
		}
		if err := dp.Alive(); err != nil {
			return dp.Explain("measuring", err, out)
		}
	}
	if err := rates.Searches(ctx, v.Meter, dp, v.repeat, out); err != nil {
		return dp.Explain("searching", err, out)
	}
	if err := v.soaks(ctx, dp, v.repeat, out); err != nil {
		return dp.Explain("soaking", err, out)
	}
	if leak := memoryGrowth(out.Trials[first:]); leak != "" {
		out.Remarks = record.AppendNew(out.Remarks, leak)
	}
	return v.WatchIdle(ctx, dp.Bench, &out.Setup.IdleAfterCores)
}

// trials lists the trials of the visit that are of a family.
func (v *visit) trials(s *scenario.Scenario) []trial.Spec {
	if v.study != nil {
		return v.study.trials(v.i, v.repeat)
	}
	return v.Plan.SpecsOf(s, v.repeat)
}

// memoryGrowth says that a UPF's memory grew in each of a visit's trials, where it did; "": it
// did not. A UPF that fills its caches once does not count.
func memoryGrowth(trials []record.Trial) string {
	const fewest, least, ratio = 4, 8 << 20, 1.1
	if len(trials) < fewest {
		return ""
	}
	for i := 1; i < len(trials); i++ {
		if trials[i].MemoryBytes <= trials[i-1].MemoryBytes {
			return ""
		}
	}
	first, last := trials[0].MemoryBytes, trials[len(trials)-1].MemoryBytes
	if first == 0 || last-first < least || float64(last) < ratio*float64(first) {
		return ""
	}
	return fmt.Sprintf("Its memory grew in every one of %d trials, from %.1f to %.1f MiB: it may leak. Run the scenario soak to find out.",
		len(trials), float64(first)/(1<<20), float64(last)/(1<<20))
}
