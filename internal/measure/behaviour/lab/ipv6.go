package lab

import (
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/scenario"
)

// surround6 gives N3 and N6 of the UPF the scenario's IPv6 addresses, and neighbours there. A kernel without
// IPv6 goes without.
func surround6(t site.Site, s *scenario.Scenario) error {
	if !site.KernelHasIPv6() {
		return nil
	}
	links := t.Links()
	if err := links.UPFN3.AddIPv6(s.N3.UPF6); err != nil {
		return err
	}
	if err := links.UPFN6.AddIPv6(s.N6.UPF6); err != nil {
		return err
	}
	return t.Provide(site.Needs{
		Sysctls: map[string]string{"ipv6/conf/all/forwarding": "1"},
		Neighbours: []netdev.Neighbour{
			{Device: links.UPFN3.Name, IP: s.N3.GNB6, MAC: links.GNB.MAC}, {Device: links.UPFN6.Name, IP: s.N6.DN6, MAC: links.DNN6.MAC},
		},
	})
}

// tunnels adds where outer headers of IPv6, and tunnels on N6, end: where the UPF is configured
// for them.
func tunnels(n *behaviour.Net, t site.Site, s *scenario.Scenario) {
	if links := t.Links(); links.UPFN3.Addr6.IsValid() && links.UPFN6.Addr6.IsValid() {
		n.UPFN6, n.N6Port = links.UPFN6.Addr, site.N6Port
		n.Six = behaviour.Net6{UPF: s.N3.UPF6, GNB: s.N3.GNB6, UPFN6: s.N6.UPF6, DN: s.N6.DN6}
	}
}
