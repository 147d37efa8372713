package campaign

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/analysis/steady"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/trial"
)

// The pilot, which shows how long a DUT takes to settle, has no warm-up and points
// close to each other.
const (
	pilotStep   = 20 * time.Millisecond
	pilotPoints = 100
	pilotShare  = 0.8 // of the highest load
)

// pilot finds the warm-up that trials need, by MSER-5 over a trial without one at about
// 80 % of the capacity: the logarithm of the median latency of each 20 ms, of which a
// disturbance that passes does not outweigh all others. A pilot that does not settle is
// repeated once.
func (r *run) pilot(ctx context.Context, dp *trial.Deployment, k stressKey, size scenario.PacketSize, out *record.Stress) error {
	load := nearest(r.study.loads[k], pilotShare)
	r.observer.Stage(dp.Label, "finding how long it takes to settle, "+string(k.direction))
	var w record.Warmup
	for range 2 {
		t, err := r.measure(ctx, dp, trial.Spec{Kind: record.KindLoad, Direction: k.direction, Size: size, Load: load, Arrivals: r.study.process(),
			Duration: pilotPoints * pilotStep, Step: pilotStep, NoWarmup: true})
		if err != nil {
			return err
		}
		if w = warmupOf(t, dp.Scenario.Warmup.Duration); w.Settled {
			break
		}
	}
	r.study.warmups[k] = time.Duration(w.UsedS * float64(time.Second))
	out.Warmups = append(out.Warmups, w)
	return nil
}

// warmupOf cuts a pilot. The warm-up used is that or the scenario's, whichever is longer;
// of a DUT that did not settle, the scenario's.
func warmupOf(t record.Trial, least time.Duration) record.Warmup {
	w := record.Warmup{Direction: t.Direction, Size: t.Size, Load: t.Load, Of: "latency p50", Points: len(t.Series), StepS: pilotStep.Seconds(), UsedS: least.Seconds()}
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
