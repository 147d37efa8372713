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

// kernelIPv6 is there where the kernel has IPv6.
const kernelIPv6 = "/proc/sys/net/ipv6/conf"

// checkKernelIPv6 refuses UEs with IPv6 where this machine's kernel has none, as after a boot with
// ipv6.disable=1. Only where the plan is carried out here is that known.
func (p *Plan) checkKernelIPv6() error {
	if !p.Scenario.UE.Family.IPv6() || p.Scenario.External != nil {
		return nil
	}
	if _, err := os.Stat(kernelIPv6); errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("ue.family is %s, but this machine's kernel has no IPv6 (%s is not there): boot it without "+
			"ipv6.disable=1, or set ue.family to ipv4", p.Scenario.UE.Family, kernelIPv6)
	}
	return nil
}
