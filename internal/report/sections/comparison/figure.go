package comparison

import (
	"fmt"
	"math"

	"github.com/upflab/upflab/internal/analysis/compare"
	"github.com/upflab/upflab/internal/report/block"
	"github.com/upflab/upflab/internal/text/units"
)

// metricTitle is what a metric is called in a table.
func metricTitle(m compare.Metric) string {
	switch m {
	case compare.NDR:
		return "non-drop rate"
	case compare.PDR:
		return "partial drop"
	case compare.Throughput:
		return "throughput"
	case compare.GoalRate:
		return "goal's rate"
	case compare.Burst:
		return "longest burst"
	case compare.RxPPS:
		return "Rx rate"
	case compare.FrameLoss:
		return "frame loss"
	case compare.P50:
		return "latency p50"
	case compare.P99:
		return "latency p99"
	case compare.CPU:
		return "CPU/packet"
	case compare.Program:
		return "BPF/packet"
	case compare.Instructions:
		return "instructions"
	case compare.ProgramInstructions:
		return "of the program"
	case compare.RequestInstructions:
		return "instructions"
	}
	return string(m)
}

// samples writes both sides of a figure in one unit.
func samples(f compare.Figure) (a, b string) {
	write := func(v float64) string { return median(f.Metric, v) }
	from, to := f.Sides()
	if isRate(f.Metric) && f.A.N > 0 && f.B.N > 0 {
		write = units.RatesOf(min(from, to), max(from, to)).Text
	}
	return sample(f.A, write(from)), sample(f.B, write(to))
}

// sample writes one side of a figure, with what kind of a bound it is before it.
func sample(s compare.Sample, text string) string {
	if s.N == 0 {
		return units.None
	}
	return s.Sign + text
}

func isRate(m compare.Metric) bool {
	switch m {
	case compare.RxPPS, compare.NDR, compare.PDR, compare.Throughput, compare.GoalRate:
		return true
	}
	return false
}

func median(m compare.Metric, v float64) string {
	if isRate(m) {
		return units.Rate(v)
	}
	switch m {
	case compare.Burst:
		return units.Number(v, "%.1f packets")
	case compare.Instructions, compare.ProgramInstructions, compare.RequestInstructions:
		return units.Number(v, "%.0f")
	case compare.FrameLoss:
		return units.Loss(v)
	case compare.P50, compare.P99:
		return units.Time(v)
	}
	return units.Number(v, "%.0f ns")
}

// change writes the change of a figure with its unit.
func change(m compare.Metric, c compare.Change) string {
	switch {
	case !c.Known:
		return units.None
	case m.Additive():
		return signed(c.Value) + " pt"
	case manyTimes(c.Value):
		return signed(c.Value)
	}
	return signed(c.Value) + " %"
}

// interval writes both bounds in the unit of the change.
func interval(c compare.Change) string {
	if c.Interval == nil {
		return "-"
	}
	return signed(c.Interval.Lo) + " .. " + signed(c.Interval.Hi)
}

// manyTimes reports whether B is so many times A that a factor says more.
func manyTimes(ratio float64) bool { return !(ratio*100 < 1000) }

// signed writes a ratio in hundredths with its sign, to three digits at most; of a
// large one the factor.
func signed(ratio float64) string {
	switch v := ratio * 100; {
	case math.Abs(v) < 0.005:
		return "0"
	case math.Abs(v) < 9.95:
		return fmt.Sprintf("%+.2f", v)
	case math.Abs(v) < 99.5:
		return fmt.Sprintf("%+.1f", v)
	case !manyTimes(ratio):
		return fmt.Sprintf("%+.0f", v)
	}
	return units.Number(1+ratio, "×%.0f")
}

// Failure writes a figure that is worse on one line: "builtin:xdp uplink max, Rx rate:
// 2.41 Mpps → 2.17 Mpps, -10.1 % (-12.0 .. -8.1)".
func Failure(f compare.Failure) string {
	m, figure := f.Figure.Metric, f.Figure
	a, b := samples(figure)
	return fmt.Sprintf("%s, %s, %s: %s → %s, %s (%s)", block.Printable(f.Title),
		block.Printable(compare.Where(figure.Kind, figure.Direction, figure.Load)),
		metricTitle(m), a, b, change(m, figure.Change()), interval(figure.Change()))
}

// MetricTitle is what a metric is called in a table.
func MetricTitle(m compare.Metric) string { return metricTitle(m) }

// Value writes a figure with its unit.
func Value(m compare.Metric, v float64) string { return median(m, v) }

// Change writes a change, a ratio or for frame loss a difference of ratios.
func Change(m compare.Metric, ratio float64) string {
	return change(m, compare.Change{Known: true, Value: ratio})
}
