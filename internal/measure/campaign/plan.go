// Package campaign makes a run: it visits each DUT in turn and in each repeat, does what the
// kind of scenario asks for, and writes down what happened.
package campaign

import (
	"fmt"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/hosts"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// Plan is everything a run is made of.
type Plan struct {
	Scenario *scenario.Scenario
	Targets  []dut.Target
	Dir      string // where rendered files and logs go
	// Packets is how many packets of each hop of each DUT are captured, before its
	// trials; 0: none.
	Packets int
	// Save is called after each trial, so that a run that dies leaves what it had.
	Save func(*record.Result) error
	// Raw keeps what a trial is computed from, and gives the number of its record; nil: it is not kept.
	Raw func(*trial.Raw) (uint64, error)
	// Calibration finds how much a machine differs from itself from run to run by a bench, nil where that was not
	// measured; nil: it is not asked for.
	Calibration func(record.Host, record.Bench) (*record.Calibration, error)
	// Abort is asked after each Save; its error ends the run in order, and is Run's. nil:
	// nothing does.
	Abort func(*record.Result) error

	// CPUs are those of the machine where a plan is carried out that is only checked here; nil: this machine's.
	CPUs []int

	// Hosts send and receive; nil: this one does.
	Hosts *hosts.Session

	// SearchWire: wire is searched as UPFs are, and not only asked whether it carries their
	// rates. Alone it is in any case.
	SearchWire bool

	// Cases are those of a scenario of kind behaviour, attack or qos-accuracy, in place of those
	// that it names; nil: the scenario's.
	Cases []behaviour.Case
	// MayAttack is the N4 address of a UPF whose owner agreed to the attack; "": none.
	MayAttack string

	recording *replay.Recording // nil: no capture is replayed
}

// trials lists the trials of one visit to a DUT: of each size the loads, then the
// latency.
func (p *Plan) trials(repeat int) []trial.Spec {
	var list []trial.Spec
	for _, size := range p.sizes() {
		list = append(list, p.trialsOf(size, repeat)...)
	}
	return list
}

func (p *Plan) trialsOf(size scenario.PacketSize, repeat int) (list []trial.Spec) {
	s := p.Scenario
	for _, d := range s.Directions {
		for _, load := range s.Loads {
			list = append(list, p.paced(trial.Spec{Kind: record.KindLoad, Direction: d, Size: size, Load: load,
				Duration: s.Duration.Duration, Repeat: repeat}))
		}
	}
	for _, d := range s.Directions {
		list = append(list, trial.Spec{Kind: record.KindLatency, Direction: d, Size: size, Load: s.Latency.Rate,
			Duration: s.Latency.Duration.Duration, Repeat: repeat})
	}
	if s.Soak.Asked() {
		return soakLoads(list)
	}
	return list
}

// order is the order of the visits, as numbers of targets, by repeat: a random one by the
// scenario's seed and then its reverse, so that a machine that drifts favours no target.
// References lead in the first repeat, since verdicts on the others need their figures.
func (p *Plan) order() [][]int {
	leads := func(i int) bool { return isReference(p.Targets[i].Name()) }
	return stats.Blocks(len(p.Targets), p.repeats(), uint64(p.Scenario.Seed), leads)
}

// Planned is what is settled before a run.
func (p *Plan) Planned() record.Planned {
	x := record.Planned{Order: p.order(), Trials: p.Trials()}
	for _, t := range p.Targets {
		x.Targets = append(x.Targets, t.Label()+" "+t.Version)
	}
	return x
}

// sizes are those of the plan's trials: a capture that is replayed is one.
func (p *Plan) sizes() []scenario.PacketSize {
	if p.recording == nil {
		return p.Scenario.PacketSizes()
	}
	var payloads []int
	for _, shape := range p.recording.Shapes {
		payloads = append(payloads, shape.Payload)
	}
	return []scenario.PacketSize{{Name: sizeReplayed, Uplink: payloads, Downlink: payloads}}
}

// sizeNamed is one of the plan's sizes.
func (p *Plan) sizeNamed(name string) scenario.PacketSize {
	sizes := p.sizes()
	for _, size := range sizes {
		if size.Name == name {
			return size
		}
	}
	return sizes[0]
}

// sizeReplayed is the size of trials that replay a capture.
const sizeReplayed = "replay"

// record reads the capture that is to be replayed, if one is, and says in the notes
// what of it is not sent as it was.
func (p *Plan) record(r *record.Result) (err error) {
	s := p.Scenario
	if s.Arrivals != scenario.Replay {
		return nil
	}
	if p.recording, err = replay.Read(s.PCAP, s.MTU-s.Overhead()); err != nil {
		return err
	}
	r.Notes = append(r.Notes, p.recording.Notes...)
	for _, l := range s.Loads {
		if l.Kind == record.LoadRecorded && p.recording.PPS == 0 {
			return fmt.Errorf("capture %s: all its packets have the same time, so that it has no rate of its own: "+
				"give a load instead of recorded", s.PCAP)
		}
	}
	return nil
}

// paced gives a load of the capture's own rate a number.
func (p *Plan) paced(t trial.Spec) trial.Spec {
	if t.Load.Kind == record.LoadRecorded && p.recording != nil {
		t.Load.PPS = p.recording.PPS
	}
	return t
}

// KnownDefects is what a user should hear of a target before its figures: that its version
// is older than any known, and its known defects that touch the scenario.
func KnownDefects(t dut.Target, s *scenario.Scenario) (lines []string) {
	if old := t.TooOld(); old != "" {
		lines = append(lines, old)
	}
	for _, line := range t.Defects(s) {
		lines = append(lines, "Known defect: "+line)
	}
	return lines
}
