package campaign

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/analysis/steady"
	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// stage says what the preparation of a DUT does now. None of it is a trial of the plan, so that without a line of
// its own nothing would be said for a minute where no line is redrawn.
func (s *stressStudy) stage(dp *trial.Deployment, what string) {
	s.Observer.Stage(dp.Label, what)
	s.Observer.Noted(dp.Label, what)
}

// pilotShare is the load of the pilot, of the highest.
const pilotShare = 0.8

// pilot finds the warm-up that trials need, by MSER-5 over a trial without one at about
// 80 % of the capacity: the logarithm of the median latency of each 20 ms, of which a
// disturbance that passes does not outweigh all others. A pilot that does not settle is
// repeated once.
func (s *stressStudy) pilot(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.Stress) error {
	load := nearest(s.loads[k], pilotShare)
	s.stage(dp, "finding how long it takes to settle, "+string(k.direction))
	var w record.Warmup
	for range 2 {
		t, err := s.Measure(ctx, dp, trial.Spec{Kind: record.KindLoad, Direction: k.direction, Size: size, Load: load,
			Arrivals: s.process(),
			Duration: plan.PilotPoints * plan.PilotStep, Step: plan.PilotStep, NoWarmup: true})
		if err != nil {
			return err
		}
		if w = warmupOf(t, dp.Scenario.Warmup.Duration); w.Settled {
			break
		}
	}
	s.warmups[k] = time.Duration(w.UsedS * float64(time.Second))
	out.Warmups = append(out.Warmups, w)
	return nil
}

// warmupOf cuts a pilot. The warm-up used is that or the scenario's, whichever is longer;
// of a DUT that did not settle, the scenario's.
func warmupOf(t record.Trial, least time.Duration) record.Warmup {
	w := record.Warmup{Direction: t.Direction, Size: t.Size, Load: t.Load, Of: "latency p50", Points: len(t.Series),
		StepS: plan.PilotStep.Seconds(), UsedS: least.Seconds()}
	var series []float64
	for _, p := range t.Series {
		if p.P50 > 0 {
			series = append(series, math.Log(float64(p.P50)))
		}
	}
	cut, err := steady.Cut(series)
	w.Settled = err == nil
	if err != nil {
		w.Why = err.Error()
	}
	w.Seconds = float64(cut.Values) * w.StepS
	if w.Settled {
		w.UsedS = max(w.UsedS, w.Seconds)
	}
	return w
}

// nearest is the load that is nearest to a share of the capacity; of loads that were
// given, of the highest.
func nearest(loads []record.Load, share float64) record.Load {
	highest := slices.MaxFunc(loads, func(a, b record.Load) int { return int(a.PPS) - int(b.PPS) })
	distance := func(l record.Load) float64 {
		if l.Share > 0 {
			return max(l.Share-share, share-l.Share)
		}
		at := l.PPS / max(highest.PPS, 1)
		return max(at-share, share-at)
	}
	best := loads[0]
	for _, l := range loads[1:] {
		if distance(l) < distance(best) {
			best = l
		}
	}
	return best
}

// openTaps times packets at a DUT's ports for the rest of a visit, in a stress study.
// Where that cannot be, the DUT is measured without, and a remark says why.
func (s *stressStudy) openTaps(dp *trial.Deployment, out *record.DUT) bool {
	if s == nil || dp.Scenario.Stress.Taps == 0 {
		return false
	}
	err := dp.OpenDelayProbes(dp.Scenario.Stress.Taps)
	if err != nil {
		out.Remarks = record.AppendNew(out.Remarks, fmt.Sprintf("Delays at the UPF itself are not known: %v.", err))
	}
	return err == nil
}

// tapShare is the load at which the cost of the probes is found, of the capacity.
const tapShare = 0.5

// probeCost compares trials with and without probes, in blocks.
func (s *stressStudy) probeCost(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.DUT) error {
	spec := trial.Spec{Kind: record.KindLoad, Direction: k.direction, Size: size, Load: nearest(s.loads[k], tapShare),
		Arrivals: s.process(), Duration: plan.TapTrial, Warmup: s.warmups[k], Unwatched: true}
	var with, without []record.Trial
	s.stage(dp, "finding what timing packets at its ports costs, "+string(k.direction))
	err := stats.InBlocks(plan.TapPairs, uint64(s.Plan.Scenario.Seed), func() error {
		if !s.openTaps(dp, out) {
			return errNoProbes
		}
		t, err := s.Measure(ctx, dp, spec)
		with = append(with, t)
		return errors.Join(err, dp.CloseDelayProbes())
	}, func() error {
		t, err := s.Measure(ctx, dp, spec)
		without = append(without, t)
		return err
	})
	if errors.Is(err, errNoProbes) {
		return nil
	}
	if err != nil {
		return err
	}
	out.Stress.TapCosts = append(out.Stress.TapCosts, costOf(with, without, dp.Scenario.Stress.Taps))
	return nil
}

// errNoProbes ends what compares probes: a remark says why there are none.
var errNoProbes = errors.New("there are no probes")

func costOf(with, without []record.Trial, every int) record.TapCost {
	first := with[0]
	return record.TapCost{Direction: first.Direction, Size: first.Size, Load: first.Load, Every: every, Pairs: len(with),
		P50With: stats.MedianOf(with, p50), P50Without: stats.MedianOf(without, p50),
		CoresWith: stats.MedianOf(with, cores), CoresWithout: stats.MedianOf(without, cores)}
}

func p50(t *record.Trial) float64 {
	if t.Latency == nil {
		return 0
	}
	return float64(t.Latency.P50)
}

func cores(t *record.Trial) float64 { return t.CPU.DUTCores }

// timelineShare is the load of a timeline's traffic: the one that is nearest to so much of the capacity.
const timelineShare = 0.8

// timeline follows a DUT before, during and after the traffic of one trial.
func (s *stressStudy) timeline(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.Stress) error {
	around := dp.Scenario.Stress.Around.Duration
	if around == 0 {
		return nil
	}
	s.stage(dp, "following it before, during and after traffic, "+string(k.direction))
	line, _, err := dp.Timeline(ctx,
		trial.Spec{Kind: record.KindLoad, Direction: k.direction, Size: size,
			Load:     nearest(s.loads[k], timelineShare),
			Arrivals: s.process(), Duration: min(plan.TimelineTraffic, around)}, around)
	if err != nil {
		return err
	}
	out.Timelines = append(out.Timelines, line)
	return nil
}
