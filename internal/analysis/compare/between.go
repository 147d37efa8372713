package compare

import (
	"time"

	"github.com/upflab/upflab/internal/analysis/between"
	figures "github.com/upflab/upflab/internal/analysis/figure"
	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/record"
)

// Between is what a machine differs by from itself from run to run, which the intervals of two runs contain.
type Between struct {
	// Assumed: the machine of the two runs was not calibrated, or they are of two machines.
	Assumed bool `json:"assumed"`
	Runs    int  `json:"runs,omitempty"` // of the calibration
	Days    int  `json:"days,omitempty"`
	// SD is the standard deviation of each metric, as a ratio.
	SD map[Metric]float64 `json:"sd"`
}

// calibrationOf is that of the machine on which both runs were made: the one that rests on more.
func calibrationOf(a, b *record.Result) *record.Calibration {
	one, other := a.Calibration, b.Calibration
	switch {
	case a.Host.Fingerprint() != b.Host.Fingerprint():
		return nil
	case one == nil || other != nil && other.Runs >= one.Runs:
		return other
	}
	return one
}

// betweenRuns is what the figures of two runs were compared with; nil where the user says it.
func (c *Comparison) betweenRuns(in inputs, o Options) *Between {
	if o.Noise > 0 || in.oneRun {
		return nil
	}
	b := &Between{SD: map[Metric]float64{}}
	for _, f := range c.figures(func(Pair) bool { return true }) {
		m := f.Metric
		if _, named := o.NoiseOf[m]; named {
			continue
		}
		s := in.scatter(m)
		b.SD[m] = s.SD
		b.Assumed = b.Assumed || s.Assumed && m != FrameLoss // which no calibration has
	}
	if in.calibration != nil && !b.Assumed {
		b.Runs, b.Days = in.calibration.Runs, in.calibration.Days
	}
	return b
}

// scatter is that of a metric between the two runs. Those of one day have what days differ by in common.
func (in inputs) scatter(m Metric) between.Scatter {
	f, known := figures.Of(string(m))
	if !known { // the rate of a goal of the user's
		f, _ = figures.Of(string(RxPPS))
	}
	if day(in.a) == day(in.b) {
		return between.OfDay(in.calibration, f)
	}
	return between.Of(in.calibration, f)
}

func day(in Input) string { return in.Result.Started.UTC().Format(time.DateOnly) }

// doubt is what the scatter of the repeats does not show of a metric, with n of them a side; size is that of the
// metric where changes are differences.
func (o Options) doubt(in inputs, m Metric, n int, size float64) stats.Doubt {
	s, few := in.scatter(m), n < stats.MinRepeats
	own, named := o.NoiseOf[m]
	switch {
	case named:
		s = between.Scatter{SD: own}
	case o.Noise > 0 && few && m.ofLatency(): // percentiles of one repeat scatter far more than rates
		s = between.Scatter{}
	case o.Noise > 0:
		s = between.Scatter{SD: o.Noise}
	case in.oneRun, few && s.Assumed:
		s = between.Scatter{}
	}
	if !m.Additive() || named { // a user gives a difference
		size = 1
	}
	return s.Doubt(size)
}
