package campaign

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/trial"
)

// openTaps times packets at a DUT's ports for the rest of a visit, in a stress study.
// Where that cannot be, the DUT is measured without, and a remark says why.
func (r *run) openTaps(dp *trial.Deployment, out *record.DUT) bool {
	if r.study == nil || dp.Scenario.Stress.Taps == 0 {
		return false
	}
	err := dp.OpenTaps(dp.Scenario.Stress.Taps)
	if err != nil {
		out.Remarks = trial.AppendNew(out.Remarks, fmt.Sprintf("Delays at the UPF itself are not known: %v.", err))
	}
	return err == nil
}

// What the taps cost is taken from pairs of trials at half of the capacity.
const (
	tapPairs = 3
	tapTrial = 500 * time.Millisecond
	tapShare = 0.5
)

// tapCost compares trials with and without taps, in blocks.
func (r *run) tapCost(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.DUT) error {
	spec := trial.Spec{Kind: record.KindLoad, Direction: k.direction, Size: size, Load: nearest(r.study.loads[k], tapShare),
		Arrivals: r.study.process(), Duration: tapTrial, Warmup: r.study.warmups[k], Unwatched: true}
	var with, without []record.Trial
	r.observer.Stage(dp.Label, "finding what timing packets at its ports costs, "+string(k.direction))
	err := stats.InBlocks(tapPairs, uint64(r.plan.Scenario.Seed), func() error {
		if !r.openTaps(dp, out) {
			return errNoTaps
		}
		t, err := r.measure(ctx, dp, spec)
		with = append(with, t)
		return errors.Join(err, dp.CloseTaps())
	}, func() error {
		t, err := r.measure(ctx, dp, spec)
		without = append(without, t)
		return err
	})
	if errors.Is(err, errNoTaps) {
		return nil
	}
	if err != nil {
		return err
	}
	out.Stress.TapCosts = append(out.Stress.TapCosts, costOf(with, without, dp.Scenario.Stress.Taps))
	return nil
}

// errNoTaps ends what compares taps: a remark says why there are none.
var errNoTaps = errors.New("there are no taps")

func costOf(with, without []record.Trial, every int) record.TapCost {
	first := with[0]
	return record.TapCost{Direction: first.Direction, Size: first.Size, Load: first.Load, Every: every, Pairs: len(with),
		P50With: medianOf(with, p50), P50Without: medianOf(without, p50), CoresWith: medianOf(with, cores), CoresWithout: medianOf(without, cores)}
}

func p50(t *record.Trial) float64 {
	if t.Latency == nil {
		return 0
	}
	return float64(t.Latency.P50)
}

func cores(t *record.Trial) float64 { return t.CPU.DUTCores }

func medianOf(trials []record.Trial, of func(*record.Trial) float64) float64 {
	var all []float64
	for i := range trials {
		all = append(all, of(&trials[i]))
	}
	return stats.Median(all)
}
