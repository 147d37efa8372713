package plan

import (
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/measure/behaviour/attack"
	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/measure/behaviour/exactness"
	"github.com/upflab/upflab/internal/measure/behaviour/interop"
	"github.com/upflab/upflab/internal/scenario"
)

// politeRate is the highest rate of an attack on a UPF that upflab did not start: inputs, or
// packets of a flood, per second.
const politeRate = 1000

// CaseList are those that each DUT is held to.
func (p *Plan) CaseList() ([]behaviour.Case, error) {
	s := p.Scenario
	switch {
	case p.Cases != nil:
		return p.Cases, nil
	case s.Kind == scenario.KindAttack:
		return attack.Select(p.attack(), s.Cases)
	case s.Kind == scenario.KindQoS:
		return exactness.Select(s.Duration.Duration, s.Cases)
	}
	if s.Kind == scenario.KindInterop {
		return interop.Select(s.Dialects, s.Cases)
	}
	return cases.Select(s.Cases)
}

// attack gives how hard UPFs are attacked: less where upflab did not start one of them.
func (p *Plan) attack() attack.Options {
	s := p.Scenario
	o := attack.Options{PerSecond: s.Attack.Rate, For: s.Attack.Duration.Duration, Seed: uint64(s.Attack.Seed)}
	if p.Targets.foreign() {
		o.PerSecond, o.Most = min(o.PerSecond, politeRate), politeRate
	}
	return o
}

// checkCases finds cases that do not exist, and an attack on a UPF whose owner has not agreed.
func checkCases(p *Plan) error {
	if _, err := p.CaseList(); err != nil {
		return err
	}
	if p.Scenario.Kind != scenario.KindAttack || !p.Targets.foreign() {
		return nil
	}
	allowed, err := netip.ParseAddr(p.MayAttack)
	if p.MayAttack != "" && err != nil {
		return fmt.Errorf("--i-am-allowed-to-attack %s: it is not an IP address", p.MayAttack)
	}
	if upf := p.Scenario.N4.UPF; allowed != upf {
		return fmt.Errorf("the DUT external was not started by upflab: an attack may end it and all sessions with it. "+
			"If its owner agrees, say so by --i-am-allowed-to-attack %s (n4.upf)", upf)
	}
	return nil
}

func caseSteps(p *Plan, _, _ int) int {
	list, _ := p.CaseList() // checked
	return len(list)
}

// caseTakes is about how long a case takes that gives no time, with a UPF without findings.
const caseTakes = 200 * time.Millisecond

// familyTakes is the same of one that is there for UEs with IPv6, too: those are short, and do not apply to many UPFs.
const familyTakes = 40 * time.Millisecond

func takes(c *behaviour.Case) time.Duration {
	if c.Family != "" {
		return max(c.Lasts, familyTakes)
	}
	return max(c.Lasts, caseTakes)
}

func outlineCases(p *Plan, o *Outline) (visit time.Duration) {
	list, _ := p.CaseList() // checked
	for _, c := range list {
		visit += takes(&c)
	}
	o.Cases, o.Of = len(list), "case"
	return visit
}
