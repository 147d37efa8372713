package sweep

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/report/sections/view"
	"github.com/upflab/upflab/internal/text/units"
)

// Latency draws the mean latency.
func Latency(v *view.Run) block.Section {
	return metric{id: "latency-mean", title: "Latency over load", y: latencyAxis("mean one-way latency"), of: view.LatencyOf(view.LatMean),
		model: func(_ float64, p record.Predicted) float64 { return p.MeanNS }, says: saysLatencyAndBounds}.figure(v)
}

func latencyAxis(label string) block.Axis {
	return block.Axis{Label: label, Unit: block.Nanos, Scale: block.Log}
}

func saysLatencyAndBounds(s view.Sweep, points []point) string {
	return sentences([]string{saysLatency(s, points), s.AtMost(view.LatMean), s.AtLeast()})
}

// rises is how many times the lowest latency counts as risen.
const rises = 2

func saysLatency(s view.Sweep, points []point) string {
	least, last := points[0], points[len(points)-1]
	for _, p := range points {
		if p.Value < least.Value {
			least = p
		}
	}
	for _, p := range points {
		if p.pps > least.pps && p.Value > rises*least.Value {
			return fmt.Sprintf("the mean is %s at %s, over twice that from %s on, and %s at %s.", units.Time(least.Value), units.Rate(least.pps),
				units.Rate(p.pps), units.Time(last.Value), units.Rate(last.pps))
		}
	}
	return fmt.Sprintf("the mean is %s at %s and %s at %s: no queue builds up.", units.Time(least.Value),
		units.Rate(least.pps), units.Time(last.Value), units.Rate(last.pps))
}

// saysTail is up to which load p99 stays under a bound: that of the target, else a
// round one over twice the lowest.
func saysTail(s view.Sweep, points []point) string {
	points = ofUPF(points)
	bound := roundAbove(rises * lowest(points))
	if safe := s.Safe(); safe != nil && safe.Target.P99NS > 0 {
		bound = safe.Target.P99NS
	}
	last := points[len(points)-1]
	at := -1
	for i, p := range points {
		if p.Value > bound {
			break
		}
		at = i
	}
	switch {
	case at < 0:
		return fmt.Sprintf("p99 is over %s from the lowest load on: %s at %s, and %s at %s.", units.Time(bound),
			units.Time(points[0].Value), units.Rate(points[0].pps),
			units.Time(last.Value), units.Rate(last.pps))
	case at == len(points)-1:
		return fmt.Sprintf("p99 stays under %s up to %s, the highest load.", units.Time(bound), units.Rate(last.pps))
	}
	next := points[at+1]
	return fmt.Sprintf("p99 stays under %s up to %s, then is %s at %s and %s at %s.", units.Time(bound), units.Rate(points[at].pps),
		units.Time(next.Value), units.Rate(next.pps), units.Time(last.Value), units.Rate(last.pps))
}

func lowest(points []point) float64 {
	least := math.Inf(1)
	for _, p := range points {
		least = min(least, p.Value)
	}
	return least
}

// roundAbove is the next of 1, 2, 5, 10, 20 ...
func roundAbove(v float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 5} {
		if f*power >= v*(1-1e-9) {
			return f * power
		}
	}
	return 10 * power
}
