package modelling

import (
	"maps"
	"slices"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// measuredSafeLoads are safe loads without a model: the highest load measured that keeps
// a target together with all lower ones, by medians over the repeats. The truth lies
// between it and the next load.
func (f Found) measuredSafeLoads(targets []record.LoadTarget) (list []record.SafeLoad) {
	loads := medians(f.Points)
	for _, t := range targets {
		s := record.SafeLoad{Direction: f.Stream.Direction, Size: f.Stream.Size, Arrivals: f.Stream.Arrivals, Class: f.Class, Target: t, Measured: true,
			Why: "as measured, without a model"}
		broken := slices.IndexFunc(loads, func(p queueing.Point) bool { return !keeps(p, t) })
		switch {
		case broken == 0 || len(loads) == 0:
			s.Why = "the lowest load measured does not keep it"
			list = append(list, s)
			continue
		case broken < 0:
			s.AtLeast, broken = true, len(loads)
		default:
			s.HighPPS = loads[broken].LoadPPS
		}
		best := loads[broken-1]
		s.PPS, s.LowPPS, s.HighPPS, s.CPUCores = best.LoadPPS, best.LoadPPS, max(s.HighPPS, best.LoadPPS), best.CPUCores
		list = append(list, s)
	}
	return list
}

// keeps reports whether a load keeps a target; a bound of 0 is none.
func keeps(p queueing.Point, t record.LoadTarget) bool {
	return (t.P99NS == 0 || p.P99NS > 0 && p.P99NS <= t.P99NS) && (t.LossRatio == 0 || p.LossRatio <= t.LossRatio)
}

// medians are those of the repeats of each load, by load.
func medians(points []queueing.Point) (list []queueing.Point) {
	by := map[float64][]queueing.Point{}
	for _, p := range points {
		by[p.LoadPPS] = append(by[p.LoadPPS], p)
	}
	for _, pps := range slices.Sorted(maps.Keys(by)) {
		median := func(of func(queueing.Point) float64) float64 {
			var sample []float64
			for _, p := range by[pps] {
				sample = append(sample, of(p))
			}
			return stats.Median(sample)
		}
		list = append(list, queueing.Point{LoadPPS: pps,
			P99NS:     median(func(p queueing.Point) float64 { return p.P99NS }),
			LossRatio: median(func(p queueing.Point) float64 { return p.LossRatio }),
			CPUCores:  median(func(p queueing.Point) float64 { return p.CPUCores }),
		})
	}
	return list
}
