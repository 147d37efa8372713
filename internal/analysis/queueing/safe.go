package queueing

import (
	"fmt"
	"math"
)

// Target is what an operator wants to keep.
type Target struct {
	// LatencyNS is the most that a share Quantile of the packets, 0..1 (0.99 for
	// p99; 0 is taken as 0.99), may take, ns; 0 is no bound.
	LatencyNS, Quantile float64
	// LossRatio is the highest loss, 0..1; 0 is no bound.
	LossRatio float64
}

// SafeLoad is the highest load that keeps a target, and its 95 % interval.
type SafeLoad struct {
	PPS, LowPPS, HighPPS float64
	// CPUCores at LowPPS, interpolated; 0 where it was not measured.
	CPUCores float64
	// AtLeast is set when the target is kept at every load measured, by the whole interval:
	// LowPPS is the highest of them then.
	AtLeast bool
}

// Safe finds the safe load of the chosen model. With load of others on the same
// server, the safe load is that of all together. Errors: ErrNoModel, ErrTarget,
// ErrTargetTooHard.
func (r Result) Safe(t Target) (SafeLoad, error) {
	best, err := r.Best()
	if err != nil {
		return SafeLoad{}, fmt.Errorf("%w, so there is no safe load; see why each was rejected", err)
	}
	if t, err = t.checked(); err != nil {
		return SafeLoad{}, err
	}
	pps := best.problem.safe(best.best.x, t, r.highest)
	if pps == 0 {
		return SafeLoad{}, fmt.Errorf("%w by %s; ask for a longer latency or a higher loss", ErrTargetTooHard, best.Name)
	}
	s := SafeLoad{PPS: pps}
	var all []float64
	for _, x := range best.draws {
		all = append(all, best.problem.safe(x, t, r.highest))
	}
	s.LowPPS, s.HighPPS = interval(all)
	s.LowPPS, s.HighPPS = min(s.LowPPS, pps), max(s.HighPPS, pps)
	// Where draws reach far above, what was measured may come from as far below.
	s.LowPPS = max(0, min(s.LowPPS, 2*pps-s.HighPPS))
	s.CPUCores, s.AtLeast = r.cpu.at(s.LowPPS), s.LowPPS >= r.highest
	return s, nil
}

func (t Target) checked() (Target, error) {
	if t.Quantile == 0 {
		t.Quantile = 0.99
	}
	ok := t.LatencyNS >= 0 && t.LossRatio >= 0 && t.LossRatio < 1 && t.Quantile > 0 && t.Quantile < 1
	if !ok || math.IsInf(t.LatencyNS, 0) || t.LatencyNS == 0 && t.LossRatio == 0 {
		return t, fmt.Errorf("%w: latency %v ns at %v, loss %v; give a latency over 0, a loss from 0 to 1, or both",
			ErrTarget, t.LatencyNS, t.Quantile, t.LossRatio)
	}
	return t, nil
}

// kept reports whether a model keeps a target at a load. A latency is looked up
// in the tail, which is faster than a quantile.
func (t Target) kept(s sojourn) bool {
	if t.LossRatio > 0 && s.loss > t.LossRatio {
		return false
	}
	if t.LatencyNS == 0 {
		return s.stable
	}
	room := t.LatencyNS*1e-9 - s.delay
	return s.stable && room > 0 && s.tail(room) <= 1-t.Quantile
}

// safe is the highest load, up to the highest measured, that keeps a target; 0
// is none. Latency may fall before it rises, so it looks from above.
func (p problem) safe(x []float64, t Target, highest float64) float64 {
	const steps = 64
	kept := func(pps float64) bool { return t.kept(p.sojourn(x, pps)) }
	low, high := 0.0, highest
	for n := steps; n >= 1; n-- {
		if pps := highest * float64(n) / steps; kept(pps) {
			low = pps
			break
		}
		high = highest * float64(n) / steps
	}
	if low == highest {
		return highest
	}
	for range 24 {
		if middle := (low + high) / 2; kept(middle) {
			low = middle
		} else {
			high = middle
		}
	}
	return low
}
