package campaign

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
)

// checkIPv6 refuses DUTs that do not take UEs with IPv6, where the scenario has such.
func checkIPv6(p *Plan) error {
	if !p.Scenario.UE.Family.IPv6() {
		return nil
	}
	no := slices.IndexFunc(p.Targets, func(t dut.Target) bool { return !t.Info().IPv6UEs })
	if no < 0 {
		return nil
	}
	t := p.Targets[no]
	return fmt.Errorf("ue.family is %s, but %s gets UEs with IPv4 alone: %s; set ue.family to ipv4, or leave the UPF out",
		p.Scenario.UE.Family, t.Label(), cmp.Or(t.Info().NoIPv6UEs, "upflab has not tried it with others"))
}

// checkTransport refuses DUTs that have no N3 and N4 of IPv6, where the scenario asks for that.
func checkTransport(p *Plan) error {
	if !p.Scenario.Transport.IPv6() {
		return nil
	}
	no := slices.IndexFunc(p.Targets, func(t dut.Target) bool { return !t.Info().IPv6Transport })
	if no < 0 {
		return nil
	}
	t := p.Targets[no]
	return fmt.Errorf("transport is %s, but %s has its N3 and N4 over IPv4 alone: %s; set transport to ipv4, or leave the UPF out",
		p.Scenario.Transport, t.Label(), cmp.Or(t.Info().NoIPv6Transport, "upflab does not configure it for IPv6 there"))
}

// kernelIPv6 is there where the kernel has IPv6.
const kernelIPv6 = "/proc/sys/net/ipv6/conf"

// checkKernelIPv6 refuses IPv6, of UEs or around the UPF, where this machine's kernel has none, as after a boot with
// ipv6.disable=1. Only where the plan is carried out here is that known.
func (p *Plan) checkKernelIPv6() error {
	key, value := "ue.family", string(p.Scenario.UE.Family)
	if p.Scenario.Transport.IPv6() {
		key, value = "transport", string(p.Scenario.Transport)
	} else if !p.Scenario.UE.Family.IPv6() {
		return nil
	}
	if p.Scenario.External != nil && !p.Scenario.Transport.IPv6() { // N4 of IPv6 is a socket of this machine
		return nil
	}
	if _, err := os.Stat(kernelIPv6); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("%s is %s, but this machine's kernel has no IPv6 (%s is not there): boot it without "+
			"ipv6.disable=1, or set %s to ipv4", key, value, kernelIPv6, key)
	}
	return nil
}
