// Package between knows how much a machine differs from itself from run to run: where it was measured, by
// runs of a device that nobody changed, and what has to be assumed where it was not. Verdicts that rest on
// one run, or on two, contain it. Its functions are pure.
package between

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// What is assumed of a machine that was not calibrated. Shared virtual machines differ from themselves by 2
// to 8 % in rates and CPU times, and delays and losses by a quarter and more.
const (
	SteadyAssumed = 0.08
	RoughAssumed  = 0.25

	fairnessAssumed = 0.01
)

// LeastRuns is how many runs a scatter must rest on to count: of fewer the factor of Student's t is so
// large that no verdict is possible.
const LeastRuns = 5

// Scatter is the standard deviation of a figure from run to run, as a ratio.
type Scatter struct {
	SD, DF  float64 // DF 0: it is assumed
	Assumed bool
	// acrossDays is true where what days differ by is in SD; within is what was measured where that is not, and is
	// less than what is assumed.
	acrossDays bool
	within     float64
}

// Of is that of a figure on the machine of a calibration; nil: the machine was not calibrated. Runs of one or two
// days do not show what days differ by: it is then what is assumed of a machine that was not calibrated, or what was
// measured, whichever reaches further. The measured one has few degrees of freedom and the assumed one is taken for
// known, so that deviations alone do not say which.
func Of(c *record.Calibration, f figure.Figure) Scatter {
	s := OfDay(c, f)
	if least := Assumed(f); !s.acrossDays && !s.Assumed && f.Unit != figure.Count && stats.Reach(s.SD, s.DF) < stats.Reach(least, 0) {
		return Scatter{SD: least, Assumed: true, within: s.SD}
	}
	return s
}

// OfDay is that between runs of the same day.
func OfDay(c *record.Calibration, f figure.Figure) Scatter {
	if f.Unit == figure.Count {
		return Scatter{} // counts are exact
	}
	if c != nil && c.Runs >= LeastRuns {
		for _, name := range likeness(f) {
			at := slices.IndexFunc(c.Scatter, func(s record.Scatter) bool { return s.Figure == name })
			if at >= 0 {
				return Scatter{SD: c.Scatter[at].SD, DF: c.Scatter[at].DF, acrossDays: c.Scatter[at].AcrossDays}
			}
		}
	}
	return Scatter{SD: Assumed(f), Assumed: true}
}

// likeness is a figure and those that scatter as it does, or more, of which a calibration has one. Loss and
// memory are in none: a device that nobody loads too much loses nothing.
func likeness(f figure.Figure) []string {
	name, quantile, _ := strings.Cut(f.Name, ".")
	switch {
	case f.Unit == figure.Nanos && slices.Contains([]string{"min", "mean", "p50"}, quantile):
		return []string{f.Name, "latency.p50"}
	case f.Unit == figure.Nanos && (quantile != "" || name == "jitter"):
		return []string{f.Name, "latency.p99"}
	case f.Unit == figure.PPS, f.Name == "rx_l2_bps", f.Name == "flow.goodput_bps":
		return []string{f.Name, "rx_pps"}
	case f.Name == "dut_cores", f.Name == "program_ns_per_packet":
		return []string{f.Name, "cpu_ns_per_packet"}
	}
	return []string{f.Name}
}

// Assumed is the scatter from run to run, relative, that stands in for one that nobody measured.
func Assumed(f figure.Figure) float64 {
	switch {
	case slices.Contains([]string{"cpu_ns_per_packet", "program_ns_per_packet"}, f.Name):
		return SteadyAssumed
	case f.Name == "flow.fairness": // of shares of one rate, whatever that is
		return fairnessAssumed
	case slices.Contains([]figure.Unit{figure.Nanos, figure.Seconds, figure.Ratio}, f.Unit):
		return RoughAssumed
	}
	return SteadyAssumed
}

// Resolution is how far equal readings of a run may differ, as a part of them: delays are kept in buckets, and a trial
// of a second counts whole pieces of 1.05 ms.
func Resolution(f figure.Figure) float64 {
	if f.Unit == figure.Nanos && f.Unloaded {
		return record.LatencyBucket
	}
	return 0.001
}

// leastSD is what runs differ by at least: no smaller change than the resolution counts.
func leastSD(f figure.Figure) float64 { return Resolution(f) / (math.Sqrt2 * stats.Reach(1, 0)) }

// Doubt is the scatter on the scale of values of a size.
func (s Scatter) Doubt(size float64) stats.Doubt {
	return stats.Doubt{Noise: s.SD * size, NoiseDF: s.DF}
}

// Words say what a verdict rests on: how far the machine is from itself, and how that is known.
func (s Scatter) Words(c *record.Calibration) string {
	if s.within > 0 {
		return fmt.Sprintf("from run to run this machine differs from itself by %.2g %% (%s), and over days it may by %.2g %% "+
			"(assumed: `sudo upflab calibrate` on three days measures it)", 100*s.within, Rests(c), 100*s.SD)
	}
	if s.Assumed {
		return fmt.Sprintf("from run to run a machine may differ from itself by %.2g %% (assumed: `sudo upflab calibrate` measures it)", 100*s.SD)
	}
	return fmt.Sprintf("from run to run this machine differs from itself by %.2g %% (%s)", 100*s.SD, Rests(c))
}

// Rests is on how much a calibration rests: "8 runs on 2 days".
func Rests(c *record.Calibration) string {
	days := fmt.Sprintf("%d days", c.Days)
	if c.Days == 1 {
		days = "one day"
	}
	return fmt.Sprintf("%d runs on %s", c.Runs, days)
}
