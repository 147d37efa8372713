package p4

import (
	"net"
	"net/netip"

	p4v1 "github.com/p4lang/p4runtime/go/p4/v1"

	"github.com/upflab/upflab/internal/dut/p4/p4rt"
	"github.com/upflab/upflab/internal/site"
)

// entries are those of UP4's tables that are the switch's own business and not
// pfcpiface's: which MAC addresses it takes packets for, and the routes. Without
// them it forwards nothing.
func entries(p p4rt.Program, t *site.Testbed) (list []*p4v1.TableEntry, err error) {
	add := func(e *p4v1.TableEntry, failed error) {
		if err == nil {
			err = failed
		}
		list = append(list, e)
	}
	for _, mac := range []net.HardwareAddr{t.UPFN3.MAC, t.UPFN6.MAC} {
		add(p4rt.Exact(p.Info, "PreQosPipe.my_station", mac, p4rt.Action{Name: "NoAction"}))
	}
	gnb := netip.PrefixFrom(t.GNB.Addr, t.GNB.Addr.BitLen())
	add(p4rt.Route(p.Info, "PreQosPipe.Routing.routes_v4", gnb, out(t.UPFN3, t.GNB, portN3)))
	add(p4rt.Route(p.Info, "PreQosPipe.Routing.routes_v4", netip.PrefixFrom(netip.IPv4Unspecified(), 0), out(t.UPFN6, t.DNN6, portN6)))
	return list, err
}

// out leads packets to a neighbour.
func out(from, to site.Port, port byte) p4rt.Action {
	return p4rt.Action{Name: "PreQosPipe.Routing.route", Params: map[string][]byte{
		"src_mac": from.MAC, "dst_mac": to.MAC, "egress_port": {port},
	}}
}
