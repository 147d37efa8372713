package xdp

import (
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestPathSwitch: to a gNB that the kernel has not resolved.
func TestPathSwitch(t *testing.T) {
	l := newLab(t, labConfig())
	for _, peer := range []string{"n3p", "n6p"} {
		openTap(t, peer) // GRO on
	}
	livetest.PathSwitch(t, l.dp)
}

// TestPermanentNeighbour: rules that name a gNB with a permanent entry leave it as it is.
func TestPermanentNeighbour(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	time.Sleep(200 * time.Millisecond) // the router has looked at it
	link, err := netlink.LinkByName("n3")
	must(t, "find n3", err)
	list, err := netlink.NeighList(link.Attrs().Index, netlink.FAMILY_V4)
	must(t, "list neighbours", err)
	for _, n := range list {
		if n.IP.String() == "192.0.2.2" && n.State == netlink.NUD_PERMANENT {
			return
		}
	}
	t.Errorf("n3 has the neighbours %v, want 192.0.2.2 to be permanent", list)
}

// TestLinkMTU: N3's MTU changes.
func TestLinkMTU(t *testing.T) {
	l := newLab(t, labConfig())
	for _, peer := range []string{"n3p", "n6p"} {
		openTap(t, peer) // GRO on
	}
	livetest.LinkMTU(t, l.dp)
}
