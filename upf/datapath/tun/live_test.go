package tun

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/processtest"
)

func config(ethernet bool, workers int) Config {
	return Config{
		N3: "n3", N6: "n6", N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 100, Workers: workers, Ethernet: ethernet,
		UEPools: datapathtest.Pools(),
	}
}

func openHere(t testing.TB, c Config) *Datapath {
	t.Helper()
	d, err := Open(c)
	livetest.Must(t, err)
	t.Cleanup(func() { livetest.Must(t, d.Close()) })
	return d
}

// kinds are the devices that there are, with one worker and with several.
var kinds = map[string]Config{
	"tun": config(false, 1), "tap": config(true, 1), "tun, 2 workers": config(false, 2), "tap, 3 workers": config(true, 3),
}

func TestKit(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			datapathtest.Run(t, func(t testing.TB) datapath.Datapath {
				livetest.Network(t)
				d, err := Open(c)
				livetest.Must(t, err)
				return d
			})
		})
	}
}

// TestLive sends scapy's frames through the kernel: those that are forwarded come
// out as scapy has them, but for what the kernel chooses of the outer headers.
func TestLive(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Forwarding(t, openHere(t, c))
		})
	}
}

// TestRelay: from a tunnel into a tunnel.
func TestRelay(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Relay(t, openHere(t, c))
		})
	}
}

// TestOuterIPv6: tunnels over IPv6.
func TestOuterIPv6(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			c.N3Address6 = datapathtest.N3Address6
			livetest.OuterIPv6(t, openHere(t, c))
		})
	}
}

// TestPathMTU: what the kernel learns of the way to a gNB holds.
func TestPathMTU(t *testing.T) {
	livetest.Network(t)
	c := config(false, 1)
	c.N3Address6 = datapathtest.N3Address6
	livetest.PathMTU(t, openHere(t, c))
}

// TestNotices: IPv6 packets that a router answers are handed on.
func TestNotices(t *testing.T) {
	livetest.Network(t)
	livetest.Notices(t, openHere(t, config(false, 1)), 1514, livetest.SendByPorts(t))
}

// TestExits: tunnels on N6.
func TestExits(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			c.N6Tunnels = datapathtest.N6Tunnels()
			livetest.Exits(t, openHere(t, c))
		})
	}
}

// TestPathSwitch: to a gNB that the kernel has not resolved.
func TestPathSwitch(t *testing.T) {
	livetest.Network(t)
	livetest.PathSwitch(t, openHere(t, config(false, 1)))
}

// TestLinkMTU: N3's MTU changes.
func TestLinkMTU(t *testing.T) {
	livetest.Network(t)
	livetest.LinkMTU(t, openHere(t, config(false, 1)))
}

// TestSlow: what does not fit is fragmented, and what comes in fragments is forwarded.
func TestSlow(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Slow(t, func(t *testing.T) datapath.Datapath { return openHere(t, whole(c)) }, processtest.Start)
		})
	}
}

// whole is a configuration with IPv6 on N3 and tunnels on N6.
func whole(c Config) Config {
	c.N3Address6, c.N6Tunnels = datapathtest.N3Address6, datapathtest.N6Tunnels()
	return c
}

// TestUnresolved: packets to neighbours that nobody has resolved.
func TestUnresolved(t *testing.T) {
	livetest.Network(t)
	livetest.Unresolved(t, openHere(t, whole(config(false, 1))), processtest.Start)
}

func TestAddressed(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Addressed(t, openHere(t, c))
		})
	}
}

func TestPeersThatAreNoHosts(t *testing.T) {
	livetest.Network(t)
	livetest.NoHosts(t, openHere(t, config(false, 1)))
}
