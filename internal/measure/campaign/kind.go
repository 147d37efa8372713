package campaign

import (
	"context"
	"time"

	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// kind is a kind of scenario. One loop (run.go) places, claims, visits each DUT, settles and
// saves for all of them; a kind says what a visit is.
type kind struct {
	// is reports whether a scenario is of this kind. The first kind of the table wins.
	is func(s *scenario.Scenario) bool
	// check finds what cannot be run, before anything is brought up; nil: nothing.
	check func(p *Plan) error
	// engine says what sends and receives; nil: each case opens its sockets.
	engine func(p *Plan) (record.Engine, error)
	// polls: that engine keeps the generators' CPUs busy, also between two packets.
	polls bool
	// before prepares a run, before the first visit; nil: nothing.
	before func(ctx context.Context, r *run) error
	// steps is how many trials, flows, cases or incidents target i has in a repeat; a target with
	// none is not visited.
	steps func(r *run, i, repeat int) int
	// planned is how many steps a run has, as far as that is known before; nil: their sum.
	planned func(p *Plan) int
	// visit measures a DUT: it brings it up, and takes it down.
	visit func(ctx context.Context, v *visit) error
	// after visits wire once more at the end of a repeat; nil: no figure needs it.
	after func(ctx context.Context, v *visit) error
	// outline adds what a visit has to an outline, and gives its time; nil: the run decides.
	outline func(p *Plan, o *Outline) time.Duration
}

// kinds is the table of kinds of scenarios.
func kinds() []kind {
	load := kind{is: func(*scenario.Scenario) bool { return true }, check: checkSearches, engine: (*Plan).generator, polls: true,
		steps: func(r *run, _, repeat int) int { return len(r.plan.trials(repeat)) }, visit: visitLoads,
		after: visitReference, outline: outlineTrials}
	control, stress := load, load
	control.is = func(s *scenario.Scenario) bool { return s.Control.Asked() }
	control.steps, control.visit = controlSteps, visitControl
	stress.is = func(s *scenario.Scenario) bool { return s.Stress.Asked() }
	stress.before, stress.planned, stress.outline = prepareStress, (*Plan).stressTrials, nil
	stress.steps = func(r *run, i, repeat int) int { return len(r.study.trials(i, repeat)) }
	flows := kind{is: func(s *scenario.Scenario) bool { return len(s.Flows) > 0 }, check: checkSearches,
		engine: applicationEngine, before: findTools,
		steps: func(r *run, _, _ int) int { return r.plan.flows() }, visit: visitFlows, outline: outlineFlows}
	outside := flows
	outside.is, outside.visit = func(s *scenario.Scenario) bool { return s.RAN == scenario.RANExternal }, visitExternalRAN
	incidents := kind{is: of(scenario.KindResilience), check: checkIncidents, steps: incidentSteps,
		visit: visitIncidents, outline: outlineIncidents}
	count := kind{is: of(scenario.KindInstructions), check: checkInstructions, engine: packetSockets, steps: instructionSteps,
		visit: visitInstructions, outline: outlineInstructions}
	return []kind{count, caseKind(scenario.KindBehaviour), caseKind(scenario.KindAttack), caseKind(scenario.KindQoS),
		incidents, outside, flows, control, stress, load}
}

// caseKind is a kind that holds UPFs to cases.
func caseKind(k scenario.Kind) kind {
	return kind{is: of(k), check: checkCases, steps: caseSteps, visit: visitCases, outline: outlineCases}
}

func of(k scenario.Kind) func(*scenario.Scenario) bool {
	return func(s *scenario.Scenario) bool { return s.Kind == k }
}

// kind is that of the plan's scenario.
func (p *Plan) kind() kind {
	for _, k := range kinds() {
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
	if _, err := p.place(); err != nil {
		return err
	}
	if err := p.checkUntil(); err != nil {
		return err
	}
	if k := p.kind(); k.check != nil {
		return k.check(p)
	}
	return nil
}

// place chooses the CPUs of the roles.
func (p *Plan) place() (record.Placement, error) {
	if p.CPUs == nil {
		return host.Place(p.Scenario.CPU)
	}
	return host.PlaceOn(p.CPUs, p.Scenario.CPU)
}

// Trials is how many trials, flows, cases or incidents the whole run has; 0: the run decides.
func (p *Plan) Trials() (n int) {
	k := p.kind()
	if p.Scenario.Until.Asked() {
		return 0
	}
	if k.planned != nil {
		return k.planned(p)
	}
	for i := range p.Targets {
		for repeat := range p.Scenario.Repeats {
			n += k.steps(&run{plan: p}, i, repeat+1)
		}
	}
	return n
}
