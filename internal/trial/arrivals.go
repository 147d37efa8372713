package trial

import (
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// arrivals is the scenario's arrival process at a load.
func (dp *Deployment) arrivals(load record.Load) (traffic.Arrivals, error) {
	s := dp.Scenario
	switch s.Arrivals {
	case scenario.Poisson:
		return traffic.Poisson(uint64(s.Seed)), nil
	case scenario.Bursts:
		return traffic.Bursts(s.Burst), nil
	case scenario.Replay:
		return dp.Recording.Arrivals, nil
	case scenario.OnAndOff:
		if load.Max() {
			return nil, nil
		}
		return traffic.OnOff(load.PPS, s.OnOff.On.Duration, s.OnOff.Off.Duration)
	}
	return nil, nil
}

// arrivalsRecord is the arrival process as the result keeps it; nil: constant gaps.
func arrivalsRecord(spec Spec, s *scenario.Scenario) *record.Arrivals {
	a := record.Arrivals{Process: string(s.Arrivals)}
	switch {
	case spec.Burst:
		return &record.Arrivals{Process: record.SingleBurst}
	case s.Arrivals == scenario.Poisson:
		a.Seed = uint64(s.Seed)
	case s.Arrivals == scenario.Bursts:
		a.BurstPackets = s.Burst
	case s.Arrivals == scenario.OnAndOff:
		a.OnS, a.OffS = s.OnOff.On.Seconds(), s.OnOff.Off.Seconds()
	case s.Arrivals != scenario.Replay:
		return nil
	}
	return &a
}

// SilentEnd is the part of a trial in which its arrival process sends no more.
func (dp *Deployment) SilentEnd(spec Spec) (time.Duration, error) {
	s, err := dp.schedule(spec)
	return max(0, spec.Duration-s.Lasts(spec.Duration)), err
}

// sequence is what a trial sends.
func (dp *Deployment) sequence(spec Spec) traffic.Sequence {
	if dp.Recording == nil {
		return sequence(dp.flows, spec.Size, spec.Direction)
	}
	var flows []uint8
	for _, way := range spec.Direction.Each() {
		flows = append(flows, flowOf(way))
	}
	return dp.Recording.Sequence(flows...)
}
