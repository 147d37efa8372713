package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/measure/campaign/kit"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/safefile"
)

// stressStudy is the stress study of a run: the loads of each target, and how long it
// takes to settle.
type stressStudy struct {
	*kit.Meter
	wire    int // the target that is wire; -1: none
	loads   map[stressKey][]record.Load
	warmups map[stressKey]time.Duration
}

// stressKey is what loads are chosen for.
type stressKey struct {
	target    int
	direction record.Direction
	size      string
}

// prepareStress brings each DUT up once to learn what it carries, how long it takes to
// settle and what the probes cost. A DUT that fails is given up.
func prepareStress(ctx context.Context, r *run) error {
	r.study = &stressStudy{Meter: r.Meter, wire: r.Reference(), loads: map[stressKey][]record.Load{}, warmups: map[stressKey]time.Duration{}}
	r.Result.Notes = append(r.Result.Notes, fmt.Sprintf("the trials of each visit are in random order, by seed %d", r.Plan.Scenario.Seed))
	order, err := r.Plan.Preparing()
	if err != nil {
		return err
	}
	for _, i := range order {
		if i == r.study.wire {
			continue
		}
		if err := r.settle(ctx, i, r.prepareTarget(ctx, i)); err != nil {
			return err
		}
	}
	return nil
}

// prepareTarget is the first visit to a DUT.
func (r *run) prepareTarget(ctx context.Context, i int) (err error) {
	target, out := r.Plan.Targets[i], &r.Result.DUTs[i]
	out.Stress = &record.Stress{OrderSeed: uint64(r.Plan.Scenario.Seed)}
	if err := safefile.MakeFolder(r.FolderOf(target), 0o755); err != nil {
		return fmt.Errorf("make folder for %s: %w", target.Label(), err)
	}
	dp, err := r.Open(ctx, target, out)
	if dp != nil {
		defer func() { err = errors.Join(err, dp.Close()) }()
	}
	if err != nil {
		return err
	}
	for _, size := range r.Plan.Sizes() {
		for _, d := range dp.Scenario.Directions {
			k := stressKey{i, d, size.Name}
			if err := r.study.chooseLoads(ctx, dp, k, size, out.Stress); err != nil {
				return dp.Explain("finding what it carries", err, out)
			}
			if len(r.study.loads[k]) == 0 {
				continue
			}
			if err := r.study.pilot(ctx, dp, k, size, out.Stress); err != nil {
				return dp.Explain("finding how long it takes to settle", err, out)
			}
			if err := r.study.probeCost(ctx, dp, k, size, out); err != nil {
				return dp.Explain("finding what probes cost", err, out)
			}
			if err := r.study.timeline(ctx, dp, k, size, out.Stress); err != nil {
				return dp.Explain("following it before, during and after traffic", err, out)
			}
		}
	}
	return nil
}
