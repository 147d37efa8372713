package measure

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// sizeReplayed is the size of trials that replay a capture.
const sizeReplayed = "replay"

// arrivals is the scenario's arrival process at a load. The seed is fixed: a run
// can be repeated.
func (b *bench) arrivals(load record.Load) (traffic.Arrivals, error) {
	s := b.scenario
	switch s.Arrivals {
	case scenario.Poisson:
		return traffic.Poisson(1), nil
	case scenario.Bursts:
		return traffic.Bursts(s.Burst), nil
	case scenario.Replay:
		return b.recording.Arrivals, nil
	case scenario.OnAndOff:
		if load.Max() {
			return nil, nil
		}
		return traffic.OnOff(load.PPS, s.OnOff.On.Duration, s.OnOff.Off.Duration)
	}
	return nil, nil
}

// silentEnd is the part of a trial in which its arrival process sends no more.
func (b *bench) silentEnd(spec trialSpec) (time.Duration, error) {
	s, err := b.schedule(spec)
	return max(0, spec.duration-s.Lasts(spec.duration)), err
}

// record reads the capture that is to be replayed, if one is, and says in the notes
// what of it is not sent as it was.
func (p *Plan) record(r *record.Result) (err error) {
	s := p.Scenario
	if s.Arrivals != scenario.Replay {
		return nil
	}
	if p.recording, err = replay.Read(s.PCAP, s.MTU-scenario.Overhead); err != nil {
		return err
	}
	r.Notes = append(r.Notes, p.recording.Notes...)
	for _, l := range s.Loads {
		if l.Recorded && p.recording.PPS == 0 {
			return fmt.Errorf("capture %s: all its packets have the same time, so that it has no rate of its own: give a load instead of recorded", s.PCAP)
		}
	}
	return nil
}

// paced gives a load of the capture's own rate a number.
func (p *Plan) paced(t trialSpec) trialSpec {
	if t.load.Recorded && p.recording != nil {
		t.load.PPS = p.recording.PPS
	}
	return t
}

// sequence is what a trial sends.
func (b *bench) sequence(spec trialSpec) traffic.Sequence {
	if b.recording == nil {
		return sequence(b.flows, spec.size, spec.direction)
	}
	var flows []uint8
	for _, way := range spec.direction.Ways() {
		flows = append(flows, flowOf(way))
	}
	return b.recording.Sequence(flows...)
}
