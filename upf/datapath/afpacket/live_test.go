package afpacket

import (
	"net/netip"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/livetest"
	"github.com/upflab/upflab/upf/datapath/datapathtest/processtest"
)

func config(workers int) Config {
	return Config{
		N3: "n3", N6: "n6", N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 100, Workers: workers,
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

// staffs are with one worker and with several.
var staffs = map[string]int{"1 worker": 1, "3 workers": 3}

func TestKit(t *testing.T) {
	datapathtest.Run(t, func(t testing.TB) datapath.Datapath {
		livetest.Network(t)
		d, err := Open(config(2))
		livetest.Must(t, err)
		return d
	})
}

func TestLive(t *testing.T) {
	for name, n := range staffs {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Forwarding(t, openHere(t, config(n)))
		})
	}
}

// TestCutDownlink: what is in the rings uncut leaves as packets, which go to the kernel as one.
func TestCutDownlink(t *testing.T) {
	for name, n := range staffs {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Uncut(t, "n3")
			d := openHere(t, config(n))
			livetest.CutDownlink(t, d)
			if joined(d) == 0 {
				t.Error("no packets were joined")
			}
		})
	}
}

// TestMergedUplink: packets of a flow go to the kernel as one, and leave as they came.
func TestMergedUplink(t *testing.T) {
	for name, n := range staffs {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Uncut(t, "n6")
			d := openHere(t, config(n))
			livetest.MergedUplink(t, d, func() uint64 { return joined(d) })
		})
	}
}

// joined is how many packets travelled as one with others.
func joined(d *Datapath) (n uint64) {
	for _, w := range d.Workers() {
		n += w.Joined
	}
	return n
}

func TestStrays(t *testing.T) {
	livetest.Network(t)
	livetest.Strays(t, openHere(t, config(2)))
}

func TestNothingAllocates(t *testing.T) {
	livetest.Network(t)
	livetest.Allocations(t, openHere(t, config(1)))
}

// TestCloseTwice: what was attached is gone, and can be attached again.
func TestCloseTwice(t *testing.T) {
	livetest.Network(t)
	d, err := Open(config(1))
	livetest.Must(t, err)
	livetest.Must(t, d.Close())
	livetest.Must(t, d.Close())
	openHere(t, config(1))
}

func TestOpenRefuses(t *testing.T) {
	for story, change := range map[string]func(*Config){
		"one interface": func(c *Config) { c.N6 = c.N3 },
		"no pool":       func(c *Config) { c.UEPools = nil },
		"IPv6 address":  func(c *Config) { c.N3Address = netip.IPv6Loopback() },
		"no interface":  func(c *Config) { c.N3 = "upflab-none" },
		"many sessions": func(c *Config) { c.MaxSessions = 1 << 30 },
		"many workers":  func(c *Config) { c.Workers = 65 },
	} {
		c := config(1)
		change(&c)
		if d, err := Open(c); err == nil {
			d.Close()
			t.Errorf("%s: opened", story)
		}
	}
}

// TestRelay: from a tunnel into a tunnel.
func TestRelay(t *testing.T) {
	for name, n := range staffs {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Relay(t, openHere(t, config(n)))
		})
	}
}

// TestNotices: IPv6 packets that a router answers are handed on.
func TestNotices(t *testing.T) {
	livetest.Network(t)
	livetest.Notices(t, openHere(t, config(1)), 1514, livetest.SendByPorts(t))
}

// TestOuterIPv6: tunnels over IPv6.
func TestOuterIPv6(t *testing.T) {
	for name, n := range staffs {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			c := config(n)
			c.N3Address6 = datapathtest.N3Address6
			livetest.OuterIPv6(t, openHere(t, c))
		})
	}
}

// TestPathMTU: what the kernel learns of the way to a gNB holds.
func TestPathMTU(t *testing.T) {
	livetest.Network(t)
	c := config(1)
	c.N3Address6 = datapathtest.N3Address6
	livetest.PathMTU(t, openHere(t, c))
}

// TestExits: tunnels on N6.
func TestExits(t *testing.T) {
	for name, n := range staffs {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			c := config(n)
			c.N6Tunnels = datapathtest.N6Tunnels()
			livetest.Exits(t, openHere(t, c))
		})
	}
}

// TestPathSwitch: to a gNB that the kernel has not resolved.
func TestPathSwitch(t *testing.T) {
	livetest.Network(t)
	livetest.PathSwitch(t, openHere(t, config(1)))
}

// TestLinkMTU: N3's MTU changes.
func TestLinkMTU(t *testing.T) {
	livetest.Network(t)
	livetest.LinkMTU(t, openHere(t, config(1)))
}

// TestSlow: what does not fit is fragmented, and what comes in fragments is forwarded.
func TestSlow(t *testing.T) {
	livetest.Slow(t, func(t *testing.T) datapath.Datapath { return openHere(t, whole(config(2))) }, processtest.Start)
}

// whole is a configuration with IPv6 on N3 and tunnels on N6.
func whole(c Config) Config {
	c.N3Address6, c.N6Tunnels = datapathtest.N3Address6, datapathtest.N6Tunnels()
	return c
}

// TestUnresolved: packets to neighbours that nobody has resolved.
func TestUnresolved(t *testing.T) {
	livetest.Network(t)
	livetest.Unresolved(t, openHere(t, whole(config(1))), processtest.Start)
}

// TestUnresolvedBig: and packets to them that do not fit.
func TestUnresolvedBig(t *testing.T) {
	livetest.Network(t)
	livetest.SetMTU(t, 3000, "n6", "n6p")
	livetest.UnresolvedBig(t, openHere(t, whole(config(1))), processtest.Start)
}

func TestAddressed(t *testing.T) {
	for name, n := range staffs {
		t.Run(name, func(t *testing.T) {
			livetest.Network(t)
			livetest.Addressed(t, openHere(t, config(n)))
		})
	}
}

func TestPeersThatAreNoHosts(t *testing.T) {
	livetest.Network(t)
	livetest.NoHosts(t, openHere(t, config(1)))
}
