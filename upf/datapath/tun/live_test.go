package tun

import (
	"encoding/binary"
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
			t.Fatal("needs root, for namespaces and a TUN device: run the tests as root")
		}
		t.Skip("needs root, for namespaces and a TUN device")
	}
	runtime.LockOSThread()
	home, err := netns.Get()
	must(t, err)
	name := fmt.Sprintf("upflab-tun-%d", os.Getpid())
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

func config(ethernet bool, workers int) Config {
	return Config{
		N3: "n3", N6: "n6", N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 100, Workers: workers, Ethernet: ethernet,
		UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
	}
}

func openHere(t testing.TB, c Config) *Datapath {
	t.Helper()
	d, err := Open(c)
	must(t, err)
	t.Cleanup(func() { must(t, d.Close()) })
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
				network(t)
				d, err := Open(c)
				must(t, err)
				return d
			})
		})
	}
}

// TestLive sends scapy's frames through the kernel: those that are forwarded come
// out as scapy has them, but for what the kernel chooses of the outer headers.
func TestLive(t *testing.T) {
	for name, c := range kinds {
		t.Run(name, func(t *testing.T) { testLive(t, c) })
	}
}

func testLive(t *testing.T, c Config) {
	network(t)
	d := openHere(t, c)
	l := newLab(t, d)
	forwarded := 0
	for _, f := range datapathtest.Frames(t) {
		in, out := l.n3, l.n6
		if f.Program == "n6" {
			in, out = out, in
		}
		if f.Verdict != "redirect" || len(f.Input(t)) > 1514 {
			continue // the links here take no more
		}
		_, err := in.Send([][]byte{f.Input(t)})
		must(t, err)
		forwarded++
		want, got := blind(f.Output(t), f.Program == "n6"), blind(next(t, out), f.Program == "n6")
		if !slices.Equal(got, want) {
			t.Errorf("%s: sent\n%x, want\n%x", f.Name, got, want)
		}
	}
	n, err := d.Counters()
	must(t, err)
	if int(n.Uplink.Packets+n.Downlink.Packets) != forwarded || forwarded == 0 {
		t.Errorf("counters %+v after %d forwarded packets", n, forwarded)
	}
	if sent, lost := carried(d, forwarded); sent != forwarded || lost != 0 {
		t.Errorf("workers sent %d and lost %d of %d", sent, lost, forwarded)
	}
}

// carried is what the workers count once they have counted so many, or after a while.
func carried(d *Datapath, want int) (sent, lost int) {
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		sent, lost = 0, 0
		for _, w := range d.Workers() {
			sent, lost = sent+int(w.Sent), lost+int(w.Lost)
		}
		if sent+lost >= want || time.Now().After(deadline) {
			return sent, lost
		}
	}
}

// lab is what is behind N3 and N6, with gen.py's sessions.
type lab struct{ n3, n6 *afpacket.Port }

func newLab(t testing.TB, d datapath.Datapath) (l lab) {
	t.Helper()
	var changes []datapath.Change
	for _, r := range datapathtest.FrameSessions() {
		changes = append(changes, datapath.Change{New: r})
	}
	must(t, d.Apply(changes))
	for name, port := range map[string]**afpacket.Port{"n3p": &l.n3, "n6p": &l.n6} {
		p, err := afpacket.Open(afpacket.Config{Interface: name, MaxFrame: 65000, Frames: 256})
		must(t, err)
		t.Cleanup(func() { p.Close() })
		*port = p
	}
	return l
}

// blind takes out of a frame with a tunnel what the kernel chooses: the outer
// identification, and the checksums.
func blind(frame []byte, tunnel bool) []byte {
	if tunnel && len(frame) > 42 {
		for _, i := range []int{18, 19, 24, 25, 40, 41} {
			frame[i] = 0
		}
	}
	return frame
}

// next is the next IPv4 frame at a port, nil when none comes.
func next(t testing.TB, p *afpacket.Port) []byte {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); {
		f := p.Next()
		if f == nil {
			must(t, afpacket.Wait(10*time.Millisecond, p))
			continue
		}
		got := slices.Clone(f)
		p.Release()
		if len(got) >= 34 && binary.BigEndian.Uint16(got[12:]) == 0x0800 {
			return got
		}
	}
	return nil
}
