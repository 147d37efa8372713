package trial

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// processOf is a trial's arrival process.
func processOf(spec Spec, s *scenario.Scenario) scenario.Arrivals {
	return cmp.Or(spec.Arrivals, s.Arrivals)
}

// arrivals is the arrival process of a trial at its load.
func (dp *Deployment) arrivals(spec Spec) (traffic.Arrivals, error) {
	s := dp.Scenario
	switch processOf(spec, s) {
	case scenario.Poisson:
		return traffic.Poisson(seedOf(spec, s)), nil
	case scenario.Bursts:
		return traffic.Bursts(s.Burst), nil
	case scenario.Replay:
		return dp.Recording.Arrivals, nil
	case scenario.OnAndOff:
		if spec.Load.Max() {
			return nil, nil
		}
		return traffic.OnOff(spec.Load.PPS, s.OnOff.On.Duration, s.OnOff.Off.Duration)
	}
	return nil, nil
}

// seedOf is the seed of a trial's Poisson arrivals, 1..2^32-1: the scenario's seed gives
// another one for each direction, load and repeat. One table for all of them would be
// their common error, which no repeat could show; the UPFs of a run, and wire, have the
// same one at the same load, so that luck does not come between them.
func seedOf(spec Spec, s *scenario.Scenario) uint64 {
	h := fnv.New32a()
	fmt.Fprintf(h, "%d %s %v %d %d", s.Seed, spec.Direction, spec.Load, spec.Repeat, spec.Draw)
	return uint64(max(h.Sum32(), 1))
}

// arrivalsRecord is the arrival process as the result keeps it; nil: constant gaps.
func arrivalsRecord(spec Spec, s *scenario.Scenario) *record.Arrivals {
	process := processOf(spec, s)
	a := record.Arrivals{Process: string(process)}
	switch {
	case spec.Burst:
		return &record.Arrivals{Process: record.SingleBurst}
	case process == scenario.Poisson:
		a.Seed = seedOf(spec, s)
	case process == scenario.Bursts:
		a.BurstPackets = s.Burst
	case process == scenario.OnAndOff:
		a.OnS, a.OffS = s.OnOff.On.Seconds(), s.OnOff.Off.Seconds()
	case process != scenario.Replay:
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
