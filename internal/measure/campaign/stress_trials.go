package campaign

import (
	"math/rand/v2"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// trials lists those of a visit to a target: those of a DUT in random order, and once
// those of wire at all loads of the DUTs.
func (s *stressStudy) trials(target, repeat int) (list []trial.Spec) {
	if target == s.wire {
		if repeat > 1 {
			return nil
		}
		list = s.wireTrials()
	} else {
		list = s.trialsOf(target, repeat)
	}
	r := rand.New(rand.NewPCG(uint64(s.Plan.Scenario.Seed), uint64(target)<<32|uint64(repeat)))
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list
}

// trialsOf lists the trials of a DUT in a repeat.
func (s *stressStudy) trialsOf(target, repeat int) (list []trial.Spec) {
	sc := s.Plan.Scenario
	for _, size := range s.Plan.Sizes() {
		for _, d := range sc.Directions {
			k := stressKey{target, d, size.Name}
			for _, load := range s.loads[k] {
				for _, process := range sc.Stress.Arrivals {
					list = append(list, trial.Spec{Kind: record.KindLoad, Direction: d, Size: size, Load: load, Arrivals: process,
						Duration: sc.Lasts(load), Repeat: repeat, Warmup: s.warmups[k]})
				}
			}
		}
	}
	return list
}

// wireTrials are the trials of all DUTs, each rate once. A load that is a share of what a
// DUT carries is named by whose.
func (s *stressStudy) wireTrials() (list []trial.Spec) {
	for i, target := range s.Plan.Targets {
		if i == s.wire {
			continue
		}
		for _, spec := range s.trialsOf(i, 1) {
			same := func(o trial.Spec) bool {
				return o.Load.PPS == spec.Load.PPS && o.Direction == spec.Direction && o.Arrivals == spec.Arrivals && o.Size.Name == spec.Size.Name
			}
			if slices.ContainsFunc(list, same) {
				continue
			}
			if spec.Load.Relative() {
				spec.Load.OfDUT = target.Label()
			}
			spec.Duration, spec.Warmup = min(spec.Duration, longestWire), 0
			list = append(list, spec)
		}
	}
	return list
}

// longestWire is how long a trial of wire takes at most: it has no queue to fill.
const longestWire = time.Minute

// process is the arrival process of the trials before the study's own.
func (s *stressStudy) process() scenario.Arrivals { return s.Plan.Scenario.Stress.Arrivals[0] }
