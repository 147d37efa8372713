package trial

import (
	"cmp"
	"time"

	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// schedule is when the trial's packets are due.
func (dp *Deployment) schedule(spec Spec) (traffic.Schedule, error) {
	s := traffic.Schedule{PPS: spec.Load.PPS, Duration: spec.Duration, Quiet: silence, Sequence: dp.engine.Sequence(spec.Size, spec.Direction)}
	if spec.Burst {
		s.Burst = true
		return s, nil
	}
	var err error
	if !spec.NoWarmup {
		s.Warmup = cmp.Or(spec.Warmup, dp.Scenario.Warmup.Duration)
	}
	if dp.meters.Excludes() && spec.Everything == "" {
		s.Excluded, s.Most, s.Least = dp.meters.Excluded, MostTimes*spec.Duration, spec.Duration/leastPart
		if spec.InTime {
			s.Most = spec.Duration
		}
	}
	s.Arrivals, err = dp.arrivals(spec)
	s.Reshuffle = processOf(spec, dp.Scenario) == scenario.Poisson
	return s, err
}

// SilentEnd is the part of a trial in which its arrival process sends no more.
func (dp *Deployment) SilentEnd(spec Spec) (time.Duration, error) {
	s, err := dp.schedule(spec)
	return max(0, spec.Duration-s.Lasts(spec.Duration)), err
}
