// Package plan is what a run will do, as a value: it asks about it, checks it and gives its outline, and starts nothing.
package plan

import (
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/analysis/stats"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/trial"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/traffic/replay"
)

// Plan is what a run will do.
type Plan struct {
	Scenario *scenario.Scenario
	Targets  Targets

	// CPUs are those of the machine where a plan is carried out that is only checked here; nil: this machine's.
	CPUs []int

	// SearchWire: wire is searched as UPFs are, and not only asked whether it carries their
	// rates. Alone it is in any case.
	SearchWire bool

	// Cases are those of a scenario of kind behaviour, attack or qos-accuracy, in place of those
	// that it names; nil: the scenario's.
	Cases []behaviour.Case
	// MayAttack is the N4 address of a UPF whose owner agreed to the attack; "": none.
	MayAttack string

	Recording *replay.Recording // nil: no capture is replayed
}

// Specs lists the trials of one visit to a DUT: of each family those of SpecsOf.
func (p *Plan) Specs(repeat int) (list []trial.Spec) {
	for _, s := range p.Stacks(repeat) {
		list = append(list, p.SpecsOf(s, repeat)...)
	}
	return list
}

// Stacks are the scenarios of the families that a visit measures one after another. Every second repeat has them in
// the reverse order, so that a machine that drifts favours no family.
func (p *Plan) Stacks(repeat int) []*scenario.Scenario {
	list := p.Scenario.Stacks()
	if repeat%2 == 0 {
		slices.Reverse(list)
	}
	return list
}

// SpecsOf lists the trials of one family, of a scenario of Stacks: of each size the loads, then the latency.
func (p *Plan) SpecsOf(s *scenario.Scenario, repeat int) (list []trial.Spec) {
	for _, size := range sizesOf(p, s) {
		list = append(list, p.specsOf(size, repeat)...)
	}
	return list
}

func (p *Plan) specsOf(size scenario.PacketSize, repeat int) (list []trial.Spec) {
	s := p.Scenario
	for _, d := range s.Directions {
		for _, load := range s.Loads {
			list = append(list, p.Paced(trial.Spec{Kind: record.KindLoad, Direction: d, Size: size, Load: load,
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

// Order is the order of the visits, as numbers of targets, by repeat: a random one by the
// scenario's seed and then its reverse, so that a machine that drifts favours no target.
// References lead in the first repeat, since verdicts on the others need their figures.
func (p *Plan) Order() [][]int {
	leads := func(i int) bool { return IsReference(p.Targets[i].Name()) }
	return stats.Blocks(len(p.Targets), p.repeats(), uint64(p.Scenario.Seed), leads)
}

// Planned is what is settled before a run.
func (p *Plan) Planned() record.Planned {
	x := record.Planned{Order: p.Order(), Trials: p.Trials()}
	for _, t := range p.Targets {
		x.Targets = append(x.Targets, t.Label()+" "+t.Version)
	}
	return x
}

// Sizes are those of the plan's trials: a capture that is replayed is one.
func (p *Plan) Sizes() []scenario.PacketSize { return sizesOf(p, p.Scenario) }

func sizesOf(p *Plan, s *scenario.Scenario) []scenario.PacketSize {
	if p.Recording == nil {
		return s.PacketSizes()
	}
	var payloads []int
	for _, shape := range p.Recording.Shapes {
		payloads = append(payloads, shape.Payload)
	}
	return []scenario.PacketSize{{Name: sizeReplayed, Uplink: payloads, Downlink: payloads}}
}

// SizeNamed is one of the plan's sizes.
func (p *Plan) SizeNamed(name string) scenario.PacketSize {
	sizes := p.Sizes()
	for _, size := range sizes {
		if size.Name == name {
			return size
		}
	}
	return sizes[0]
}

// sizeReplayed is the size of trials that replay a capture.
const sizeReplayed = "replay"

// ReadRecording reads the capture that is to be replayed, if one is, and says in the notes
// what of it is not sent as it was.
func (p *Plan) ReadRecording(r *record.Result) (err error) {
	s := p.Scenario
	if s.Arrivals != scenario.Replay {
		return nil
	}
	if p.Recording, err = replay.Read(s.PCAP, s.MTU-s.Overhead()); err != nil {
		return err
	}
	r.Notes = append(r.Notes, p.Recording.Notes...)
	for _, l := range s.Loads {
		if l.Kind == record.LoadRecorded && p.Recording.PPS == 0 {
			return fmt.Errorf("capture %s: all its packets have the same time, so that it has no rate of its own: "+
				"give a load instead of recorded", s.PCAP)
		}
	}
	return nil
}

// Paced gives a load of the capture's own rate a number.
func (p *Plan) Paced(t trial.Spec) trial.Spec {
	if t.Load.Kind == record.LoadRecorded && p.Recording != nil {
		t.Load.PPS = p.Recording.PPS
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
