package trial

import (
	"cmp"
	"fmt"
	"hash/fnv"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
)

// process is an arrival process: what the result keeps of it, and the gaps that it has then.
type process struct {
	record func(spec Spec, s *scenario.Scenario, a *record.Arrivals)
	gaps   func(dp *Deployment, spec Spec, a *record.Arrivals) (traffic.Arrivals, error)
}

// processes are all that a scenario can ask for, but for Constant, which is recorded as none.
var processes = map[scenario.Arrivals]process{
	scenario.Poisson: {
		record: func(spec Spec, s *scenario.Scenario, a *record.Arrivals) { a.Seed = seedOf(spec, s) },
		gaps: func(_ *Deployment, _ Spec, a *record.Arrivals) (traffic.Arrivals, error) {
			return traffic.Poisson(a.Seed), nil
		},
	},
	scenario.Bursts: {
		record: func(_ Spec, s *scenario.Scenario, a *record.Arrivals) { a.BurstPackets = s.Burst },
		gaps: func(_ *Deployment, _ Spec, a *record.Arrivals) (traffic.Arrivals, error) {
			return traffic.Bursts(a.BurstPackets), nil
		},
	},
	scenario.OnAndOff: {
		record: func(_ Spec, s *scenario.Scenario, a *record.Arrivals) {
			a.OnS, a.OffS = s.OnOff.On.Seconds(), s.OnOff.Off.Seconds()
		},
		gaps: onAndOff,
	},
	scenario.Replay: {
		record: func(Spec, *scenario.Scenario, *record.Arrivals) {},
		gaps: func(dp *Deployment, _ Spec, _ *record.Arrivals) (traffic.Arrivals, error) {
			return dp.cfg.Recording.Arrivals, nil
		},
	},
}

// onAndOff at the highest load has constant gaps: its rate is not known before.
func onAndOff(dp *Deployment, spec Spec, _ *record.Arrivals) (traffic.Arrivals, error) {
	if spec.Load.Max() {
		return nil, nil
	}
	cycle := dp.Scenario.OnOff
	return traffic.OnOff(spec.Load.PPS, cycle.On.Duration, cycle.Off.Duration)
}

// processOf is a trial's arrival process.
func processOf(spec Spec, s *scenario.Scenario) scenario.Arrivals {
	return cmp.Or(spec.Arrivals, s.Arrivals)
}

// arrivals is the arrival process of a trial at its load, as arrivalsRecord says; nil: constant gaps.
func (dp *Deployment) arrivals(spec Spec) (traffic.Arrivals, error) {
	name := processOf(spec, dp.Scenario)
	p, is := processes[name]
	if !is {
		return nil, unknownProcess(name)
	}
	return p.gaps(dp, spec, arrivalsRecord(spec, dp.Scenario))
}

// unknownProcess refuses a process that there is no row for.
func unknownProcess(name scenario.Arrivals) error {
	if name == scenario.Constant || name == "" {
		return nil
	}
	return fmt.Errorf("arrivals: %q is accepted by the scenario and not known to the trial: add it to processes", name)
}

// arrivalsRecord is the arrival process as the result keeps it; nil: constant gaps.
func arrivalsRecord(spec Spec, s *scenario.Scenario) *record.Arrivals {
	if spec.Burst {
		return &record.Arrivals{Process: record.SingleBurst}
	}
	name := processOf(spec, s)
	p, is := processes[name]
	if !is {
		return nil
	}
	a := &record.Arrivals{Process: string(name)}
	p.record(spec, s, a)
	return a
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
