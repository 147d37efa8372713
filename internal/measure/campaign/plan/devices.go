package plan

import (
	"fmt"
	"net"
	"slices"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/scenario"
	"github.com/upflab/upflab/internal/text/spelling"
)

// device is a network interface of this machine that a scenario names by a key.
type device struct{ key, name string }

// CheckDevices refuses a plan whose scenario names network interfaces that this machine does not have, or needs
// IPv6 of a kernel without. Only where the plan is carried out here is that known.
func (p *Plan) CheckDevices() error {
	if err := site.CheckKernelIPv6(p.Scenario); err != nil {
		return err
	}
	list, err := net.Interfaces()
	if err != nil {
		return fmt.Errorf("list the network interfaces of this machine: %w", err)
	}
	var names []string
	for _, i := range list {
		names = append(names, i.Name)
	}
	for _, d := range p.devices() {
		if d.name != "" && !slices.Contains(names, d.name) {
			return fmt.Errorf("%s: this machine has no network interface %q%s: make it, or name another; `ip link` lists them",
				d.key, d.name, spelling.DidYouMean(d.name, names))
		}
	}
	return nil
}

// devices are those that the run takes or sends by. Testers elsewhere have theirs.
func (p *Plan) devices() (list []device) {
	s := p.Scenario
	here := !s.FarTester()
	if here && s.External != nil && slices.ContainsFunc(p.Targets, func(t dut.Target) bool { return t.Info().External }) {
		list = append(list, device{"external.n3_interface", s.External.N3Interface}, device{"external.n6_interface", s.External.N6Interface})
	}
	for _, l := range []struct {
		link                 scenario.LinkKind
		name, device, tester string
	}{{s.N3.Link, "n3", s.N3.Device, s.N3.TesterDevice}, {s.N6.Link, "n6", s.N6.Device, s.N6.TesterDevice}} {
		if s.LinkOf(l.link) != scenario.LinkPhysical {
			continue
		}
		list = append(list, device{l.name + ".device", l.device})
		if here {
			list = append(list, device{l.name + ".tester_device", l.tester})
		}
	}
	return list
}
