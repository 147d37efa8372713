package plan

import (
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// Kind is a kind of scenario, as far as it is known before a run. What a visit of it does, package campaign has.
type Kind struct {
	Name KindName
	// is reports whether a scenario is of this kind. The first kind of the table wins.
	is func(s *scenario.Scenario) bool
	// check finds what cannot be run, before anything is brought up; nil: nothing.
	check func(p *Plan) error
	// Engine says what sends and receives; nil: each case opens its sockets.
	Engine func(p *Plan) (record.Engine, error)
	// Polls: that engine keeps the generators' CPUs busy, also between two packets.
	Polls bool
	// Steps is how many trials, flows, cases or incidents target i has in a repeat; a target with
	// none is not visited.
	Steps func(p *Plan, i, repeat int) int
	// planned is how many steps a run has, as far as that is known before, where the run decides on them; nil: their sum.
	planned func(p *Plan) int
	// outline adds what a visit has to an outline, and gives its time; nil: the run decides.
	outline func(p *Plan, o *Outline) time.Duration
}

// KindName names a kind.
type KindName string

// Kinds of scenarios.
const (
	KindLoad         KindName = "load"
	KindStress       KindName = "stress"
	KindControl      KindName = "control"
	KindFlows        KindName = "flows"
	KindExternalRAN  KindName = "external RAN"
	KindCases        KindName = "cases"
	KindIncidents    KindName = "incidents"
	KindInstructions KindName = "instructions"
)

// Kinds is the table of kinds of scenarios.
func Kinds() []Kind {
	load := Kind{Name: KindLoad, is: func(*scenario.Scenario) bool { return true }, check: checkSearches, Engine: (*Plan).generator, Polls: true,
		Steps: func(p *Plan, _, repeat int) int { return len(p.Specs(repeat)) }, outline: outlineTrials}
	control, stress := load, load
	control.Name, control.is, control.Steps = KindControl, func(s *scenario.Scenario) bool { return s.Control.Asked() }, controlSteps
	stress.Name, stress.is = KindStress, func(s *scenario.Scenario) bool { return s.Stress.Asked() }
	stress.Steps, stress.planned, stress.outline = nil, (*Plan).stressTrials, nil
	flows := Kind{Name: KindFlows, is: func(s *scenario.Scenario) bool { return len(s.Flows) > 0 }, check: checkSearches,
		Engine: applicationEngine, Steps: func(p *Plan, _, _ int) int { return p.flows() }, outline: outlineFlows}
	outside := flows
	outside.Name, outside.is = KindExternalRAN, func(s *scenario.Scenario) bool { return s.RAN == scenario.RANExternal }
	incidents := Kind{Name: KindIncidents, is: of(scenario.KindResilience), check: checkIncidents, Steps: incidentSteps,
		outline: outlineIncidents}
	count := Kind{Name: KindInstructions, is: of(scenario.KindInstructions), check: checkInstructions, Engine: packetSockets,
		Steps: instructionSteps, outline: outlineInstructions}
	return []Kind{count, caseKind(scenario.KindBehaviour), caseKind(scenario.KindAttack), caseKind(scenario.KindQoS), caseKind(scenario.KindInterop),
		incidents, outside, flows, control, stress, load}
}

// caseKind is a kind that holds UPFs to cases.
func caseKind(k scenario.Kind) Kind {
	return Kind{Name: KindCases, is: of(k), check: checkCases, Steps: caseSteps, outline: outlineCases}
}

func of(k scenario.Kind) func(*scenario.Scenario) bool {
	return func(s *scenario.Scenario) bool { return s.Kind == k }
}

// Kind is that of the plan's scenario.
func (p *Plan) Kind() Kind {
	for _, k := range Kinds() {
		if k.is(p.Scenario) {
			return k
		}
	}
	panic("every scenario is of some kind: a load, if of no other")
}

// Check finds what cannot be run, before anything is brought up.
func (p *Plan) Check() error {
	if err := checkIPv6(p); err != nil {
		return err
	}
	if err := checkTransport(p); err != nil {
		return err
	}
	if err := checkIPsec(p); err != nil {
		return err
	}
	if _, err := p.Place(); err != nil {
		return err
	}
	if err := p.checkUntil(); err != nil {
		return err
	}
	if k := p.Kind(); k.check != nil {
		return k.check(p)
	}
	return nil
}

// Place chooses the CPUs of the roles.
func (p *Plan) Place() (record.Placement, error) {
	if p.CPUs == nil {
		return host.Place(p.Scenario.CPU)
	}
	return host.PlaceOn(p.CPUs, p.Scenario.CPU)
}

// Trials is how many trials, flows, cases or incidents the whole run has; 0: the run decides.
func (p *Plan) Trials() (n int) {
	k := p.Kind()
	if p.Scenario.Until.Asked() {
		return 0
	}
	if k.planned != nil {
		return k.planned(p)
	}
	for i := range p.Targets {
		for repeat := range p.Scenario.Repeats {
			n += k.Steps(p, i, repeat+1)
		}
	}
	return n
}
