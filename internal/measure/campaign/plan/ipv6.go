package plan

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

// checkIPv6 refuses DUTs that do not take UEs with IPv6, where the scenario has such.
func checkIPv6(p *Plan) error {
	for _, t := range p.Targets {
		for _, s := range p.Scenario.Stacks() {
			if err := t.TakesUEs(s.UE.Family); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkTransport refuses DUTs that have no N3 and N4 of IPv6, where the scenario asks for that.
func checkTransport(p *Plan) error {
	if !slices.ContainsFunc(p.Scenario.Stacks(), func(s *scenario.Scenario) bool { return s.Transport.IPv6() }) {
		return nil
	}
	no := slices.IndexFunc(p.Targets, func(t dut.Target) bool { return !t.Info().IPv6Transport })
	if no < 0 {
		return nil
	}
	t := p.Targets[no]
	return fmt.Errorf("transport is %s, but %s has its N3 and N4 over IPv4 alone: %s; set transport to ipv4, or leave the UPF out",
		scenario.TransportIPv6, t.Label(), cmp.Or(t.Info().NoIPv6Transport, "upflab does not configure it for IPv6 there"))
}
