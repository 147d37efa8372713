package campaign

import (
	"context"
	"fmt"

	"github.com/upflab/upflab/internal/measure/campaign/plan"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// soaks are the long trials of a visit. The wire has nothing that could leak or
// drift: where the load was given it has a short trial, to compare with.
func (r *visit) soaks(ctx context.Context, dp *trial.Deployment, repeat int, out *record.DUT) error {
	if !dp.Scenario.Soak.Asked() {
		return nil
	}
	for _, size := range r.Plan.Sizes() {
		for _, d := range dp.Scenario.Directions {
			for _, load := range dp.Scenario.Loads {
				spec := r.Plan.Paced(trial.Spec{Direction: d, Size: size, Load: load, Repeat: repeat})
				if err := r.soak(ctx, dp, spec, out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// soak runs one of a load, and keeps what there is when the user ends it.
func (r *visit) soak(ctx context.Context, dp *trial.Deployment, of trial.Spec, out *record.DUT) error {
	if dp.Endpoint.IsWire() && of.Load.Max() {
		return nil
	}
	spec, err := soakSpec(dp.Scenario, out, of)
	if err != nil {
		return err
	}
	if dp.Endpoint.IsWire() {
		spec.Soak, spec.Duration = nil, min(spec.Duration, plan.SoakFinding)
	}
	r.Observer.Stage(dp.Label, fmt.Sprintf("soaking for %v, %s at %s packets/s", spec.Duration, spec.Direction, spec.Load))
	spec.Keep = func(t record.Trial) { r.keepUnderWay(out, t) }
	t, err := r.Measure(ctx, dp, spec)
	if err != nil {
		return err
	}
	out.Trials = append(out.Trials, t)
	if err := r.Save(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return dp.Alive()
}

// keepUnderWay saves a soak's trial as it is; the whole one takes its place at the end.
func (r *visit) keepUnderWay(out *record.DUT, t record.Trial) {
	out.Trials = append(out.Trials, t)
	r.Save() // an error comes back with the save at the end
	out.Trials = out.Trials[:len(out.Trials)-1]
}

// soakSpec makes a soak's trial, of what was found: by a search, or else at max; a
// load that was given is taken as it is.
func soakSpec(s *scenario.Scenario, out *record.DUT, spec trial.Spec) (trial.Spec, error) {
	k := &record.Soak{PlannedS: s.Duration.Seconds(), Share: s.Soak.Share, LossBudget: float64(s.Soak.LossBudget), Of: "the load given"}
	pps := spec.Load.PPS
	if spec.Load.Max() {
		pps, k.Of = carried(out, spec)
		if pps <= 0 {
			return trial.Spec{}, fmt.Errorf("soak: nothing arrived %s at max, so there is no load to take a share "+
				"of; give one, as --set loads=100k", spec.Direction)
		}
	}
	spec.Kind, spec.Soak, spec.Duration = record.KindLoad, k, s.Duration.Duration
	spec.Load = soakLoad(spec.Load, s.Soak.Share, pps)
	return spec, nil
}

// carried is the rate that a DUT was found to carry of what a soak is to send,
// packets/s, and what it is.
func carried(out *record.DUT, spec trial.Spec) (pps float64, what string) {
	same := func(direction record.Direction, size string, repeat int) bool {
		return direction == spec.Direction && size == spec.Size.Name && repeat == spec.Repeat
	}
	for _, s := range out.Searches {
		switch {
		case !same(s.Direction, s.Size, s.Repeat):
		case s.NDRPPS > 0:
			return s.NDRPPS, "the non-drop rate"
		case s.ThroughputPPS > 0:
			return s.ThroughputPPS, "the throughput"
		}
	}
	for _, t := range out.Trials {
		if same(t.Direction, t.Size, t.Repeat) && t.Load.PPS == 0 {
			pps = t.RxPPS
		}
	}
	return pps, "what arrived unpaced"
}

// soakLoad is a soak's load. A share of what was found is the same load in each
// repeat, whatever was found.
func soakLoad(of record.Load, share, pps float64) record.Load {
	load := record.Load{Kind: record.LoadSoak, PPS: pps * share}
	if of.Max() {
		load.Share = share
	}
	return load
}
