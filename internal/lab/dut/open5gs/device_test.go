package open5gs

import (
	"net"
	"net/netip"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// All UEs lead to the device, by the one neighbour on a TAP.
func TestDevice(t *testing.T) {
	for _, c := range []struct {
		name string
		mode netlink.TuntapMode
		hop  net.IP
	}{
		{"ogstun", netlink.TUNTAP_MODE_TUN, nil},
		{"ogstap", netlink.TUNTAP_MODE_TAP, net.IPv4(169, 254, 0, 1)},
	} {
		tb := sitetest.Build(t)
		d := device{name: c.name, mode: c.mode, mtu: 1600,
			pool: netip.MustParsePrefix("10.45.0.0/16"), gateway: netip.MustParseAddr("10.45.0.1")}
		if err := d.create(tb.UPF()); err != nil {
			t.Fatal(err)
		}
		nl := tb.UPF().Netlink()
		link, err := nl.LinkByName(c.name)
		if err != nil {
			t.Fatal(err)
		}
		if a := link.Attrs(); a.MTU != 1600 || a.TxQLen != queueLength || a.Flags&net.FlagUp == 0 {
			t.Errorf("%s: MTU %d, queue %d, flags %v", c.name, a.MTU, a.TxQLen, a.Flags)
		}
		for _, ue := range []string{"10.45.0.2", "10.45.255.254"} {
			routes, err := nl.RouteGet(net.ParseIP(ue))
			if err != nil || len(routes) != 1 || routes[0].LinkIndex != link.Attrs().Index || !routes[0].Gw.Equal(c.hop) {
				t.Errorf("%s: %s goes by %v, %v", c.name, ue, routes, err)
			}
		}
		if c.hop != nil {
			checkNeighbour(t, nl, link)
		}
		if err := d.create(tb.UPF()); err != nil { // as after the UPF was killed
			t.Errorf("%s cannot be used again: %v", c.name, err)
		}
		if again, err := nl.LinkByName(c.name); err != nil || again.Attrs().Index != link.Attrs().Index {
			t.Errorf("%s is another one: %v", c.name, err)
		}
	}
}

func checkNeighbour(t *testing.T, nl *netlink.Handle, link netlink.Link) {
	t.Helper()
	list, err := nl.NeighList(link.Attrs().Index, netlink.FAMILY_V4)
	if err != nil || len(list) != 1 || list[0].State != netlink.NUD_PERMANENT || list[0].HardwareAddr.String() != "0e:00:00:00:00:01" {
		t.Errorf("the neighbours are %v, %v", list, err)
	}
}
