package impair

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"

	"github.com/upflab/upflab/afpacket"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// network makes a namespace of the test's own with N3 and N6 in it, and stays
// there until the test ends. It is the one of package xdp's gen.py.
func network(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for namespaces and BPF: run the tests as root")
		}
		t.Skip("needs root, for namespaces and BPF")
	}
	runtime.LockOSThread()
	home, err := netns.Get()
	must(t, err)
	name := fmt.Sprintf("upflab-cal-%d", os.Getpid())
	ns, err := netns.NewNamed(name)
	must(t, err)
	t.Cleanup(func() {
		must(t, netns.Set(home))
		must(t, netns.DeleteNamed(name))
		ns.Close()
		home.Close()
		runtime.UnlockOSThread()
	})
	must(t, os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0))
	must(t, os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0))
	addPair(t, "n3", "02:00:00:00:03:01", "192.0.2.1/24", "192.0.2.2", "02:00:00:00:03:02")
	addPair(t, "n6", "02:00:00:00:06:01", "198.51.100.1/24", "198.51.100.2", "02:00:00:00:06:02")
}

// addPair makes a veth pair, name and its peer, and a neighbour behind the peer.
func addPair(t testing.TB, name, mac, address, neighbour, at string) {
	t.Helper()
	attrs := netlink.NewLinkAttrs()
	attrs.Name = name
	attrs.HardwareAddr, _ = net.ParseMAC(mac)
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: name + "p"}))
	link, err := netlink.LinkByName(name)
	must(t, err)
	addr, err := netlink.ParseAddr(address)
	must(t, err)
	must(t, netlink.AddrAdd(link, addr))
	peer, err := netlink.LinkByName(name + "p")
	must(t, err)
	must(t, netlink.LinkSetUp(link))
	must(t, netlink.LinkSetUp(peer))
	hw, err := net.ParseMAC(at)
	must(t, err)
	must(t, netlink.NeighSet(&netlink.Neigh{
		LinkIndex: link.Attrs().Index, IP: net.ParseIP(neighbour), HardwareAddr: hw, State: netlink.NUD_PERMANENT,
	}))
}

func config(t testing.TB, text string) Config {
	t.Helper()
	plan, err := Parse(text)
	must(t, err)
	return Config{
		N3: "n3", N6: "n6", N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 100, Plan: plan,
		UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
	}
}

func openHere(t testing.TB, text string) *Datapath {
	t.Helper()
	d, err := Open(config(t, text))
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
	return d
}

func TestKit(t *testing.T) {
	datapathtest.Run(t, func(t testing.TB) datapath.Datapath {
		network(t)
		d, err := Open(config(t, ""))
		must(t, err)
		return d
	})
}

// TestLive sends scapy's frames through the kernel: those that are forwarded come
// out as scapy has them, and the kernel does not handle what the UPF took.
func TestLive(t *testing.T) {
	network(t)
	d := openHere(t, "")
	var changes []datapath.Change
	for _, r := range datapathtest.FrameSessions() {
		changes = append(changes, datapath.Change{New: r})
	}
	must(t, d.Apply(changes))
	ports := map[string]*afpacket.Port{}
	for _, name := range []string{"n3p", "n6p"} {
		p, err := afpacket.Open(afpacket.Config{Interface: name})
		must(t, err)
		defer p.Close()
		ports[name] = p
	}
	for _, c := range datapathtest.Frames(t) {
		in, out := ports["n3p"], ports["n6p"]
		if c.Program == "n6" {
			in, out = out, in
		}
		if c.Verdict != "redirect" {
			continue
		}
		frame := c.Input(t)
		if len(frame) > 1514 {
			continue // the links here take no more
		}
		_, err := in.Send([][]byte{frame})
		must(t, err)
		want := c.Output(t)
		if c.Program == "n6" { // the identification counts
			want[18], want[19], want[24], want[25] = 0, 0, 0, 0
		}
		if got := next(t, out, c.Program == "n6"); !slices.Equal(got, want) {
			t.Errorf("%s: sent\n%x, want\n%x", c.Name, got, want)
		}
	}
	l, err := d.Ledger(10)
	must(t, err)
	if l.Uplink.Totals.Forwarded == 0 || l.Uplink.Totals.Forwarded != l.Uplink.Totals.Received ||
		l.Downlink.Totals.Forwarded == 0 || l.Downlink.Missed != 0 {
		t.Errorf("ledger %+v", l)
	}
}

// next is the next IPv4 frame at a port; with blind its identification and
// checksum are 0.
func next(t testing.TB, p *afpacket.Port, blind bool) []byte {
	t.Helper()
	for deadline := time.Now().Add(2 * time.Second); time.Now().Before(deadline); {
		f := p.Next()
		if f == nil {
			must(t, afpacket.Wait(10*time.Millisecond, p))
			continue
		}
		got := slices.Clone(f)
		p.Release()
		if len(got) < 26 || got[12] != 8 || got[13] != 0 {
			continue
		}
		if blind {
			got[18], got[19], got[24], got[25] = 0, 0, 0, 0
		}
		return got
	}
	return nil
}

func TestCloseTwice(t *testing.T) {
	network(t)
	d, err := Open(config(t, "delay=1ms"))
	must(t, err)
	must(t, d.Close())
	must(t, d.Close())
	if d.Apply(nil) == nil {
		t.Error("a closed datapath takes rules")
	}
	if _, err := d.Ledger(10); err == nil {
		t.Error("a closed datapath has a ledger")
	}
	again := openHere(t, "") // what was attached is gone
	if _, err := again.Counters(); err != nil {
		t.Error(err)
	}
}

func TestOpenRefuses(t *testing.T) {
	for story, change := range map[string]func(*Config){
		"one interface":   func(c *Config) { c.N6 = c.N3 },
		"no pool":         func(c *Config) { c.UEPools = nil },
		"IPv6 pool":       func(c *Config) { c.UEPools = []netip.Prefix{netip.MustParsePrefix("2001:db8::/64")} },
		"IPv6 address":    func(c *Config) { c.N3Address = netip.IPv6Loopback() },
		"no interface":    func(c *Config) { c.N3 = "upflab-none" },
		"sessions beyond": func(c *Config) { c.MaxSessions = 1 << 30 },
	} {
		c := config(t, "")
		change(&c)
		if d, err := Open(c); err == nil {
			d.Close()
			t.Errorf("%s: opened", story)
		}
	}
}
