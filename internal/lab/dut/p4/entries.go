package p4

import (
	"net"
	"net/netip"

	p4v1 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/upflab/upflab/internal/lab/dut/p4/p4rt"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// entries are those of UP4's tables that are the switch's own business and not
// pfcpiface's: which MAC addresses it takes packets for, and the routes. Without
// them it forwards nothing.
func entries(p p4rt.Program, t site.Site) (list []*p4v1.TableEntry, err error) {
	add := func(e *p4v1.TableEntry, failed error) {
		if err == nil {
			err = failed
		}
		list = append(list, e)
	}
	for _, mac := range []net.HardwareAddr{t.Links().UPFN3.MAC, t.Links().UPFN6.MAC} {
		add(p4rt.Exact(p.Info, "PreQosPipe.my_station", mac, p4rt.Action{Name: "NoAction"}))
	}
	for _, gnb := range t.Links().GNB.Addrs() {
		to := netip.PrefixFrom(gnb, gnb.BitLen())
		add(p4rt.Route(p.Info, "PreQosPipe.Routing.routes_v4", to, out(t.Links().UPFN3, t.Links().GNB, portN3)))
	}
	add(p4rt.Route(p.Info, "PreQosPipe.Routing.routes_v4", netip.PrefixFrom(netip.IPv4Unspecified(), 0),
		out(t.Links().UPFN6, t.Links().DNN6, portN6)))
	return list, err
}

// out leads packets to a neighbour.
func out(from, to netdev.Port, port byte) p4rt.Action {
	return p4rt.Action{Name: "PreQosPipe.Routing.route", Params: map[string][]byte{
		"src_mac": from.MAC, "dst_mac": to.MAC, "egress_port": {port},
	}}
}
