package modelling

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/upflab/upflab/internal/analysis/queueing"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// measuredDraws is how often the trials of each load are drawn again for an interval.
const measuredDraws = 1000

// measuredSafeLoads are safe loads without a model. The highest load measured that keeps a
// target together with all lower ones, by medians over the repeats, is the estimate; the truth
// lies between it and the next load. The safe load is the lower limit of that when whole trials
// are drawn again. Of loads measured once or twice that shows too little of their scatter: the safe load is
// one load below then.
func (f Found) measuredSafeLoads(targets []record.LoadTarget) (list []record.SafeLoad) {
	loads := byLoad(f.Points)
	for _, t := range targets {
		list = append(list, f.measuredSafeLoad(loads, t))
	}
	return list
}

func (f Found) measuredSafeLoad(loads [][]queueing.Point, t record.LoadTarget) record.SafeLoad {
	s := record.SafeLoad{Direction: f.Stream.Direction, Size: f.Stream.Size, Arrivals: f.Stream.Arrivals,
		Class: f.Class, Target: t, Measured: true,
		Why: "as measured, without a model"}
	kept := keptLoads(loads, t, func(repeats []queueing.Point) []queueing.Point { return repeats })
	if kept == 0 {
		s.Why = "the lowest load measured does not keep it"
		return s
	}
	r := rand.New(rand.NewPCG(1, uint64(len(f.Points))))
	var low, high []float64
	for range measuredDraws {
		n := keptLoads(loads, t, func(repeats []queueing.Point) []queueing.Point {
			drawn := make([]queueing.Point, len(repeats))
			for i := range drawn {
				drawn[i] = repeats[r.IntN(len(repeats))]
			}
			return drawn
		})
		low, high = append(low, float64(n)), append(high, float64(min(n, len(loads)-1)))
	}
	safe := int(stats.Percentile(low, 2.5))
	s.EstimatePPS, s.HighPPS = loads[kept-1][0].LoadPPS, loads[int(stats.Percentile(high, 97.5))][0].LoadPPS
	if safe == 0 {
		s.Why = "not all repeats of the lowest load measured keep it"
		return s
	}
	if few := leastRepeats(loads[:safe]); few < enoughMeasured {
		s.FewRepeats = true
		if safe == len(loads) {
			s.HighPPS = 0 // no load that was measured breaks it
		} else {
			s.HighPPS = loads[safe][0].LoadPPS
		}
		if safe--; safe == 0 {
			s.Why = "only the lowest load measured keeps it, and fewer than three repeats do not show the scatter: measure lower loads, or with three repeats"
			return s
		}
		s.Why = "as measured, without a model: one load below the highest that keeps it, since there are fewer than three repeats"
	}
	best := loads[safe-1]
	s.PPS, s.LowPPS, s.CPUCores = best[0].LoadPPS, best[0].LoadPPS, stats.MedianOf(best, func(p *queueing.Point) float64 { return p.CPUCores })
	s.AtLeast = safe == len(loads)
	return s
}

// enoughMeasured is how many repeats show the scatter of a load: with one, 4 to 21 % of safe loads would be above the
// truth where p99 scatters by 5 to 10 % and the UPF's speed by 0 to 5 %, with three at most 2 %.
const enoughMeasured = 3

// leastRepeats is the number of repeats of the load that has the fewest.
func leastRepeats(loads [][]queueing.Point) int {
	n := len(loads[0])
	for _, repeats := range loads {
		n = min(n, len(repeats))
	}
	return n
}

// keptLoads is how many loads, from the lowest on, keep a target by the medians of trials drawn
// from their repeats.
func keptLoads(loads [][]queueing.Point, t record.LoadTarget, draw func([]queueing.Point) []queueing.Point) int {
	for i, repeats := range loads {
		drawn := draw(repeats)
		middle := queueing.Point{P99NS: stats.MedianOf(drawn, func(p *queueing.Point) float64 { return p.P99NS }),
			LossRatio: stats.MedianOf(drawn, func(p *queueing.Point) float64 { return p.LossRatio })}
		if !keeps(middle, t) {
			return i
		}
	}
	return len(loads)
}

// keeps reports whether a load keeps a target; a bound of 0 is none.
func keeps(p queueing.Point, t record.LoadTarget) bool {
	return (t.P99NS == 0 || p.P99NS > 0 && p.P99NS <= t.P99NS) && (t.LossRatio == 0 || p.LossRatio <= t.LossRatio)
}

// byLoad are the repeats of each load, ascending.
func byLoad(points []queueing.Point) (list [][]queueing.Point) {
	by := map[float64][]queueing.Point{}
	for _, p := range points {
		by[p.LoadPPS] = append(by[p.LoadPPS], p)
	}
	for _, pps := range slices.Sorted(maps.Keys(by)) {
		list = append(list, by[pps])
	}
	return list
}
