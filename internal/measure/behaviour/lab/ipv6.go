package lab

import (
	"net/netip"
	"os"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/measure/behaviour"
)

// The IPv6 addresses of N3 and N6: the UPF's, and the tester's.
var (
	upf6N3, gnb6 = netip.MustParseAddr("2001:db8:3::1"), netip.MustParseAddr("2001:db8:3::2")
	upf6N6, dn6  = netip.MustParseAddr("2001:db8:6::1"), netip.MustParseAddr("2001:db8:6::2")
)

// surround6 gives N3 and N6 of the UPF IPv6 addresses, and neighbours there. A kernel without
// IPv6 goes without.
func surround6(s site.Site) error {
	if _, err := os.Stat("/proc/sys/net/ipv6/conf"); err != nil {
		return nil
	}
	links := s.Links()
	if err := links.UPFN3.AddIPv6(upf6N3); err != nil {
		return err
	}
	if err := links.UPFN6.AddIPv6(upf6N6); err != nil {
		return err
	}
	return s.Provide(site.Needs{
		Sysctls: map[string]string{"ipv6/conf/all/forwarding": "1"},
		Neighbours: []netdev.Neighbour{
			{Device: links.UPFN3.Name, IP: gnb6, MAC: links.GNB.MAC}, {Device: links.UPFN6.Name, IP: dn6, MAC: links.DNN6.MAC},
		},
	})
}

// tunnels adds where outer headers of IPv6, and tunnels on N6, end: where the UPF is configured
// for them.
func tunnels(n *behaviour.Net, s site.Site) {
	if links := s.Links(); links.UPFN3.Addr6.IsValid() && links.UPFN6.Addr6.IsValid() {
		n.UPFN6, n.N6Port = links.UPFN6.Addr, site.N6Port
		n.Six = behaviour.Net6{UPF: upf6N3, GNB: gnb6, UPFN6: upf6N6, DN: dn6}
	}
}
