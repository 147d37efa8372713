package plan

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/lab/dut"
)

// What the first visit of a stress study to a UPF is made of.
const (
	// The pilot, which shows how long a DUT takes to settle, has no warm-up and points close to each other.
	PilotStep   = 20 * time.Millisecond
	PilotPoints = 100
	// CapacityTrial is a trial of the search for what a DUT carries.
	CapacityTrial = 300 * time.Millisecond
	// What the probes cost is taken from pairs of trials.
	TapPairs = 3
	TapTrial = 500 * time.Millisecond
	// TimelineTraffic is for how long a timeline has traffic.
	TimelineTraffic = 3 * time.Second
)

// Preparing is the order in which DUTs are prepared: first the one whose capacity the loads
// of all are shares of.
func (p *Plan) Preparing() (order []int, err error) {
	of := p.Scenario.Stress.Of
	for i, t := range p.Targets {
		if of != "" && t.Label() == of {
			order = slices.Insert(order, 0, i)
			of = ""
			continue
		}
		order = append(order, i)
	}
	if of != "" {
		return nil, fmt.Errorf("stress.of is %s, which is not measured in this run: add --dut %s", of, of)
	}
	return order, nil
}

// stressTrials is how many trials a stress study has, as far as that is known before.
func (p *Plan) stressTrials() int {
	s := p.Scenario
	loads := len(s.Loads)
	if s.Auto() {
		loads = len(s.Stress.Shares)
	}
	each := loads * len(s.Directions) * len(s.Stress.Arrivals) * len(p.Sizes())
	duts, wires := len(p.Targets), 0
	if slices.ContainsFunc(p.Targets, func(t dut.Target) bool { return IsReference(t.Name()) }) {
		duts, wires = duts-1, 1 // of several references the study takes the first for wire
	}
	if wires > 0 && s.Auto() {
		wires = duts
	}
	return each * (duts*s.Repeats + wires)
}

// preparationTakes is about how long the first visit of a stress study to a UPF takes, which brings it up to learn
// what it carries, how long it takes to settle and what probes cost.
func preparationTakes(p *Plan) time.Duration {
	s := p.Scenario
	around := s.Warmup.Duration + s.Settle.Duration + trialTakes // of a trial
	each := PilotPoints*PilotStep + around + modelsTake
	if s.Auto() {
		each += capacityTrials * (CapacityTrial + around)
	}
	if s.Stress.Taps > 0 {
		each += 2*TapPairs*(TapTrial+around) + TapPairs*probesTake
	}
	if a := s.Stress.Around.Duration; a > 0 {
		each += 2*a + min(TimelineTraffic, a) + around
	}
	return visitTakes + time.Duration(len(s.Directions)*len(p.Sizes()))*each
}
