package xdp

import (
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/processtest"
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
	time.Sleep(200 * time.Millisecond) // if the router changed the entry, it would have done so by then
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

// TestUnresolved: packets to neighbours that nobody has resolved.
func TestUnresolved(t *testing.T) {
	l := newLab(t, labConfig())
	for _, peer := range []string{"n3p", "n6p"} {
		openTap(t, peer) // GRO on
	}
	l.zero(t)
	livetest.Unresolved(t, l.dp, processtest.Start)
}

// TestUnresolvedBig: and packets to them that do not fit.
func TestUnresolvedBig(t *testing.T) {
	l := newLab(t, labConfig())
	for _, peer := range []string{"n3p", "n6p"} {
		openTap(t, peer) // GRO on
	}
	livetest.SetMTU(t, 3000, "n6", "n6p")
	livetest.UnresolvedBig(t, l.dp, processtest.Start)
}

// TestSlow: what does not fit is fragmented, and what comes in fragments is forwarded.
func TestSlow(t *testing.T) {
	for _, mode := range []Mode{Native, Generic} {
		t.Run(string(mode), func(t *testing.T) {
			livetest.Slow(t, func(t *testing.T) datapath.Datapath {
				for _, peer := range []string{"n3p", "n6p"} {
					openTap(t, peer) // GRO on
				}
				cfg := labConfig()
				cfg.N4 = N4{} // there is none
				cfg.Mode, cfg.N3Address6, cfg.N6Tunnels = mode, datapathtest.N3Address6, datapathtest.N6Tunnels()
				d, err := Open(cfg)
				must(t, "Open", err)
				t.Cleanup(func() { must(t, "Close", d.Close()) })
				return d
			}, processtest.Start)
		})
	}
}
