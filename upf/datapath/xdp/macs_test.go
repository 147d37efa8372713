package xdp

import (
	"net"
	"testing"
	"time"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/text/wait"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
)

// TestFramesToOthers: a frame to another MAC address is the kernel's, and so is what goes to all and to many. It
// is untouched, and counted as passed.
func TestFramesToOthers(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	for _, name := range []string{"n3 psc", "n6 qfi"} {
		in, _ := liveFrame(t, name)
		for _, mac := range []string{"02:00:00:00:00:99", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01", "33:33:00:00:00:01"} {
			l.zero(t)
			to, err := net.ParseMAC(mac)
			must(t, "parse MAC", err)
			other := append(to, in[6:]...)
			verdict, out := l.run(t, name[:2], other)
			c, err := l.dp.Counters()
			must(t, "Counters", err)
			if verdict != xdpPass || string(out) != string(other) || c.Passed != 1 || c.Uplink.Packets+c.Downlink.Packets > 0 || len(c.Drops) > 0 {
				t.Errorf("%s to %s: verdict %d, counted %+v", name, mac, verdict, c)
			}
		}
	}
}

// TestMACChanges: the programs follow an interface's MAC address.
func TestMACChanges(t *testing.T) {
	l := newLab(t, labConfig())
	must(t, "Apply", l.dp.Apply(additions(frameSessions())))
	old, _ := liveFrame(t, "n6 qfi")
	mac, err := net.ParseMAC("02:00:00:00:06:77")
	must(t, "parse MAC", err)
	link, err := netlink.LinkByName("n6")
	must(t, "find n6", err)
	must(t, "change its MAC address", netlink.LinkSetHardwareAddr(link, mac))
	follows := func() bool {
		verdict, _ := l.run(t, "n6", append(mac[:6:6], old[6:]...))
		return verdict == xdpRedirect
	}
	if !wait.Until(3*time.Second, 20*time.Millisecond, follows) {
		t.Fatal("no packet to the new address was forwarded in 3 s")
	}
	if verdict, _ := l.run(t, "n6", old); verdict != xdpPass {
		t.Errorf("a packet to the old address: verdict %d, want pass", verdict)
	}
}

func TestPeersThatAreNoHosts(t *testing.T) {
	l := newLab(t, labConfig())
	openTap(t, "n3p") // GRO, or the veth drops what is sent
	openTap(t, "n6p")
	livetest.NoHosts(t, l.dp)
}
