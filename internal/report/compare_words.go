package report

import (
	"fmt"
	"math"
	"strings"

	"github.com/upflab/upflab/internal/compare"
	"github.com/upflab/upflab/internal/record"
)

// metricWords is what a metric is called in a table.
func metricWords(m compare.Metric) string {
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
	}
	return string(m)
}

// sampleWords writes one side of a figure, "≥ " or "≤ " before it where the
// bench limited it.
func sampleWords(m compare.Metric, s compare.Sample) string {
	if s.N == 0 {
		return notMeasured
	}
	text := ""
	switch m {
	case compare.Burst:
		text = number(s.Median, "%.1f packets")
	case compare.RxPPS, compare.NDR, compare.PDR, compare.Throughput, compare.GoalRate:
		text = Rate(s.Median)
	case compare.FrameLoss:
		text = Loss(s.Median)
	case compare.P50, compare.P99:
		text = Time(s.Median)
	default:
		text = number(s.Median, "%.0f ns")
	}
	switch {
	case s.Bounded && m.HigherIsBetter():
		return "≥ " + text
	case s.Bounded:
		return "≤ " + text
	}
	return text
}

// changeWords writes the change of a figure with its unit.
func changeWords(m compare.Metric, c compare.Change) string {
	if !c.Known {
		return notMeasured
	}
	if m.Additive() {
		return signed(c.Value) + " pt"
	}
	if text := signed(c.Value); strings.HasPrefix(text, "×") {
		return text
	}
	return signed(c.Value) + " %"
}

// intervalWords writes both bounds in the unit of the change.
func intervalWords(c compare.Change) string {
	if c.Interval == nil {
		return "-"
	}
	return signed(c.Interval.Lo) + " .. " + signed(c.Interval.Hi)
}

// signed writes a ratio in hundredths with its sign, to three digits at most.
func signed(ratio float64) string {
	switch v := ratio * 100; {
	case math.Abs(v) < 0.005:
		return "0"
	case math.Abs(v) < 9.95:
		return fmt.Sprintf("%+.2f", v)
	case math.Abs(v) < 99.5:
		return fmt.Sprintf("%+.1f", v)
	case v < 1000:
		return fmt.Sprintf("%+.0f", v)
	default: // B is so many times A
		return number(1+ratio, "×%.0f")
	}
}

// trialWords names a trial in a few letters: "uplink lat. 1k".
func trialWords(f compare.Figure) string {
	if f.Kind == record.KindLatency {
		return string(f.Direction) + " lat. " + f.Load
	}
	return string(f.Direction) + " " + f.Load
}

func sideWords(s compare.Side) string {
	return strings.Join([]string{printable(s.Name) + ": " + orNone(s.Scenario), "run " + orNone(s.Run), instant(s.Started),
		"upflab " + orNone(s.Tool.Version)}, ", ")
}

// pairWords names a pair and the versions of both sides.
func pairWords(p compare.Pair) string {
	title := p.Title()
	if p.Reference() {
		title += " (reference: its changes are the machine's)"
	}
	if p.A.Version == p.B.Version {
		return strings.TrimSpace(title + "  " + p.A.Version)
	}
	return fmt.Sprintf("%s  A %s, B %s", title, orNone(p.A.Version), orNone(p.B.Version))
}

// methodWords says how to read the changes.
func methodWords(c *compare.Comparison) string {
	words := fmt.Sprintf("change: B against A; %s. Intervals hold the true change with 95 %% confidence. ", c.BasisWhy)
	if c.Family == 0 {
		words += "No figure could be tested."
	} else {
		words += fmt.Sprintf("Verdicts are given where the chance of a single wrong one among the %s tested is below %g %%.",
			plural(c.Family, "figure"), math.Round(compare.Level*100))
	}
	if c.Noise > 0 {
		words += fmt.Sprintf(" Between runs, %.3g %% of noise is assumed.", c.Noise*100)
	}
	return words
}

// gateWords says what the exit status rests on.
func gateWords(c *compare.Comparison) []string {
	g, threshold := c.Gate, fmt.Sprintf("%.3g %%", c.Threshold*100)
	var lines []string
	for _, f := range g.Worse {
		lines = append(lines, "WORSE: "+FailureWords(f))
	}
	switch n := len(g.Worse); {
	case g.Figures == 0:
		lines = append(lines, "nothing of a UPF was held against the threshold")
	case n == 0:
		lines = append(lines, fmt.Sprintf("of %s none is shown to be worse by more than %s", plural(g.Figures, "figure"), threshold))
	default:
		lines = append(lines, fmt.Sprintf("of %s %d worse by more than %s", plural(g.Figures, "figure"), n, threshold))
	}
	if open := g.Figures - g.Excluded - len(g.Worse); open > 0 {
		which := "of them"
		if len(g.Worse) > 0 {
			which = "others"
		}
		lines = append(lines, fmt.Sprintf("in %d %s that much cannot be ruled out: more repeats narrow the intervals", open, which))
	}
	for _, why := range c.Incomparable {
		lines = append(lines, "NOT COMPARED: "+why)
	}
	return lines
}

// FailureWords writes a figure that is worse on one line: "builtin:xdp uplink
// max, Rx rate: 2.41 Mpps → 2.17 Mpps, -10.1 % (-12.0 .. -8.1)".
func FailureWords(f compare.Failure) string {
	m, figure := f.Figure.Metric, f.Figure
	return fmt.Sprintf("%s, %s, %s: %s → %s, %s (%s)", printable(f.Title), printable(compare.Where(figure.Kind, figure.Direction, figure.Load)),
		metricWords(m), sampleWords(m, figure.A), sampleWords(m, figure.B), changeWords(m, figure.Change()), intervalWords(figure.Change()))
}

// footnotes numbers the reasons that figures give, each once.
type footnotes []string

// mark gives the sign of a reason: " (2)", "" for none.
func (n *footnotes) mark(why string) string {
	if why == "" {
		return ""
	}
	for i, known := range *n {
		if known == why {
			return fmt.Sprintf(" (%d)", i+1)
		}
	}
	*n = append(*n, why)
	return fmt.Sprintf(" (%d)", len(*n))
}
