package measure

import (
	"context"
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// finding is how long the trial at max takes whose rate a soak has a share of.
const finding = 3 * time.Second

// soakLoads are the trials before a soak: those that find out what a share is of.
func soakLoads(list []trialSpec) []trialSpec {
	var find []trialSpec
	for _, spec := range list {
		if spec.kind == record.KindLoad && spec.load.Max() {
			spec.duration = min(spec.duration, finding)
			find = append(find, spec)
		}
	}
	return find
}

// soaks are the long trials of a visit. The wire has nothing that could leak or
// drift: where the load was given it has a short trial, to compare with.
func (r *run) soaks(ctx context.Context, b *bench, repeat int, out *record.DUT) error {
	if !b.scenario.Soak.Asked() {
		return nil
	}
	for _, size := range r.plan.sizes() {
		for _, d := range b.scenario.Directions {
			for _, load := range b.scenario.Loads {
				spec := r.plan.paced(trialSpec{direction: d, size: size, load: load, repeat: repeat})
				if err := r.soak(ctx, b, spec, out); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// soak runs one of a load, and keeps what there is when the user ends it.
func (r *run) soak(ctx context.Context, b *bench, of trialSpec, out *record.DUT) error {
	if b.endpoint.Wire && of.load.Max() {
		return nil
	}
	spec, err := soakSpec(b.scenario, out, of)
	if err != nil {
		return err
	}
	if b.endpoint.Wire {
		spec.soak, spec.duration = nil, min(spec.duration, finding)
	}
	r.observer.Stage(b.label, fmt.Sprintf("soaking for %v, %s at %s packets/s", spec.duration, spec.direction, spec.load))
	t, err := r.measureTrial(ctx, b, spec)
	if err != nil {
		return err
	}
	out.Trials = append(out.Trials, t)
	if err := r.save(); err != nil {
		return err
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return b.alive()
}

// soakSpec makes a soak's trial, of what was found: by a search, or else at max; a
// load that was given is taken as it is.
func soakSpec(s *scenario.Scenario, out *record.DUT, spec trialSpec) (trialSpec, error) {
	k := &record.Soak{PlannedS: s.Duration.Seconds(), Share: s.Soak.Share, LossBudget: float64(s.Soak.LossBudget), Of: "the load given"}
	pps := spec.load.PPS
	if spec.load.Max() {
		pps, k.Of = carried(out, spec)
		if pps <= 0 {
			return trialSpec{}, fmt.Errorf("soak: nothing arrived %s at max, so there is no load to take a share of; give one, as --set loads=100k", spec.direction)
		}
	}
	spec.kind, spec.soak, spec.duration = record.KindLoad, k, s.Duration.Duration
	spec.load = soakLoad(spec.load, s.Soak.Share, pps)
	return spec, nil
}

// carried is the rate that a DUT was found to carry of what a soak is to send,
// packets/s, and what it is.
func carried(out *record.DUT, spec trialSpec) (pps float64, what string) {
	same := func(direction record.Direction, size string, repeat int) bool {
		return direction == spec.direction && size == spec.size.Name && repeat == spec.repeat
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
	load := record.Load{PPS: pps * share, Soak: true}
	if of.Max() {
		load.Share = share
	}
	return load
}

// cut makes a soak that was ended early one of the length that it had.
func (m *measured) cut() {
	m.spec.duration = time.Duration(m.outcome.SendSeconds * float64(time.Second))
	due := m.schedule.Slots(m.spec.duration)
	m.outcome.Intended = min(m.outcome.Intended, max(due, m.outcome.Sent))
}

// judgeSoak holds a soak against its budget and looks for drift.
func (m *measured) judgeSoak(t *record.Trial, s scenario.Soak, step time.Duration) {
	k := *m.spec.soak
	k.Kept = t.TxPackets > 0 && t.FrameLossRatio <= k.LossBudget
	k.StepS = step.Seconds()
	k.Drifts = drifts(t.Series, s)
	t.Soak = &k
	if m.stopped {
		t.Reasons = append(t.Reasons, fmt.Sprintf("stopped by the user after %.4g s of %.4g s", t.DurationS, k.PlannedS))
	}
}

// drifts tests what should stay the same. The first tenth is left out: caches fill
// and heaps grow there, once.
func drifts(series []record.Point, s scenario.Soak) []record.Drift {
	series = series[len(series)/10:]
	quantities := []struct {
		name, unit string
		tolerance  float64
		of         func(record.Point) float64
	}{
		{"latency p50", "ns", s.Drift, func(p record.Point) float64 { return float64(p.P50) }},
		{"latency p99", "ns", s.Drift, func(p record.Point) float64 { return float64(p.P99) }},
		{"CPU", "cores", s.Drift, func(p record.Point) float64 { return p.DUTCores }},
		{"memory", "bytes", s.MemoryGrowth, func(p record.Point) float64 { return float64(p.MemoryBytes) }},
	}
	var list []record.Drift
	for _, q := range quantities {
		var x, y []float64
		for _, p := range series {
			if v := q.of(p); v > 0 { // 0: nothing arrived, or it was not read
				x, y = append(x, p.T), append(y, v)
			}
		}
		list = append(list, drift(q.name, q.unit, q.tolerance, stats.DriftOf(x, y, q.tolerance)))
	}
	return list
}

func drift(name, unit string, tolerance float64, d stats.Drift) record.Drift {
	const hour = 3600
	return record.Drift{Quantity: name, Unit: unit, Points: d.Points, Median: d.Median, Tolerance: tolerance,
		PerHour: d.Slope * hour, LowPerHr: d.Low * hour, HighPerHr: d.High * hour, Change: d.Change, P: d.P, Verdict: d.Verdict}
}
