package campaign

import (
	"context"
	"errors"
	"slices"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/trial"
)

// shares of the non-drop rate at which latency is taken.
func shares() []float64 { return []float64{0.1, 0.5, 0.9, 1} }

// latencyCurve takes the latency at shares of the rate that a search found: of
// the non-drop rate, or at throughput alone (RFC 2544 clause 26.2).
func (r *run) latencyCurve(ctx context.Context, dp *trial.Deployment, s record.Search, out *record.DUT) error {
	rate, of, at := s.NDRPPS, record.GoalNDR, shares()
	if rate == 0 {
		rate, of, at = s.ThroughputPPS, record.GoalThroughput, []float64{1}
	}
	if rate == 0 {
		return nil
	}
	for _, share := range at {
		for range max(1, dp.Scenario.Search.LatencyRepeats) {
			t, err := r.latencyAt(ctx, dp, s.Direction, r.plan.sizeNamed(s.Size), record.Load{PPS: share * rate, Share: share, Of: of}, s.Repeat)
			if err != nil {
				return err
			}
			out.Trials = append(out.Trials, t)
			if err := errors.Join(r.save(), dp.Alive()); err != nil {
				return err
			}
		}
	}
	return nil
}

// latencyAt is one latency trial at a load.
func (r *run) latencyAt(ctx context.Context, dp *trial.Deployment, d record.Direction, size scenario.PacketSize, load record.Load, repeat int) (record.Trial, error) {
	if err := rest(ctx, dp.Scenario.Search.Pause.Duration); err != nil {
		return record.Trial{}, err
	}
	return r.rerun(ctx, dp, trial.Spec{Kind: record.KindLatency, Direction: d, Size: size, Load: load,
		Duration: dp.Scenario.Latency.Duration.Duration, Repeat: repeat})
}

// visitReference visits wire once more in a repeat: it is asked whether it carries what
// searches found for the UPFs, and its latency is taken at the same loads, so that their
// latencies can be separated from the bench's.
func visitReference(ctx context.Context, v *visit) (err error) {
	wanted, rates := v.foundLatencies(v.repeat), v.foundRates(v.repeat)
	if len(wanted)+len(rates) == 0 {
		return nil
	}
	out := v.out
	dp, err := v.open(ctx, v.target, out)
	if dp != nil {
		defer func() { err = errors.Join(err, dp.Close()) }()
	}
	if err != nil {
		return err
	}
	if err := v.askWire(ctx, dp, rates); err != nil {
		return err
	}
	for _, w := range wanted {
		t, err := v.latencyAt(ctx, dp, w.Direction, v.plan.sizeNamed(w.Size), w.Load, v.repeat)
		if err != nil {
			return err
		}
		out.Trials = append(out.Trials, t)
		if err := v.save(); err != nil {
			return err
		}
	}
	return nil
}

// foundLatencies are the latency trials at rates that were found for UPFs in a
// repeat, each load once, named by whose rate it is a share of.
func (r *run) foundLatencies(repeat int) (list []record.Trial) {
	for i, d := range r.result.DUTs {
		if d.Reference {
			continue
		}
		for _, t := range d.Trials {
			if t.Kind != record.KindLatency || t.Repeat != repeat || !t.Load.Relative() {
				continue
			}
			same := func(o record.Trial) bool { return o.KeyAtRate() == t.KeyAtRate() }
			if !slices.ContainsFunc(list, same) {
				t.Load.OfDUT = r.plan.Targets[i].Label()
				list = append(list, t)
			}
		}
	}
	return list
}
