package upf

import (
	"fmt"
	"maps"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
)

// TestSocketIsBound: what a peer sends to a socket's address by another interface than the socket's does
// not arrive. A socket that is bound to none (`n4.interface: any`) shows that it would.
func TestSocketIsBound(t *testing.T) {
	upf, peer := twoInterfaces(t)
	for _, c := range []struct{ what, address, own, other, bound string }{
		{"N4 (PFCP)", "192.0.2.1", "a", "b", "a"},
		{"N4 (PFCP)", "192.0.2.1", "a", "b", ""},
		{"N3 (GTP-U)", "198.51.100.1", "b", "a", "b"},
		{"N3 (GTP-U)", "2001:db8:b::1", "b", "a", "b"},
		{"N3 (GTP-U)", "2001:db8:b::1", "b", "a", ""},
	} {
		at := netip.AddrPortFrom(netip.MustParseAddr(c.address), 8805)
		enter(t, upf)
		conn, err := listen(c.what, at, c.bound)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		enter(t, peer)
		want := map[string]int{}
		for _, device := range []string{c.other, c.own} {
			sendBy(t, device, at)
			if c.bound == "" || c.bound == device {
				want[device] = 1
			}
		}
		got, buffer := map[string]int{}, make([]byte, 64)
		for wait := 10 * time.Second; ; {
			conn.SetReadDeadline(time.Now().Add(wait))
			n, _, err := conn.ReadFromUDPAddrPort(buffer)
			if err != nil {
				break
			}
			if got[string(buffer[:n])]++; len(got) >= len(want) {
				wait = 200 * time.Millisecond // for one more that should not come
			}
		}
		if !maps.Equal(got, want) {
			t.Errorf("%s at %v, bound to %q: datagrams arrived by %v, want %v", c.what, at, c.bound, got, want)
		}
		conn.Close()
	}
}

// TestSocketOfNoInterface: a socket is not opened when its interface is not there.
func TestSocketOfNoInterface(t *testing.T) {
	if conn, err := listen("N4 (PFCP)", netip.MustParseAddrPort("127.83.7.11:0"), "upflab-none"); err == nil {
		conn.Close()
		t.Error("the socket of an interface that is not there was opened")
	}
}

// sendBy sends a datagram that says by which interface it leaves.
func sendBy(t *testing.T, device string, to netip.AddrPort) {
	t.Helper()
	conn, err := listen("the peer", netip.AddrPortFrom(anyOf(to.Addr()), 0), device)
	if err == nil {
		_, err = conn.WriteToUDPAddrPort([]byte(device), to)
		conn.Close()
	}
	if err != nil {
		t.Fatalf("send by %s: %v", device, err)
	}
}

func anyOf(a netip.Addr) netip.Addr {
	if a.Is6() {
		return netip.IPv6Unspecified()
	}
	return netip.IPv4Unspecified()
}

// twoInterfaces makes two namespaces with two links, a and b, between them. The first one has an IPv4
// and an IPv6 address on each, and takes what comes for either by both.
func twoInterfaces(t *testing.T) (upf, peer netns.NsHandle) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root: run the tests as root")
		}
		t.Skip("needs root, for namespaces")
	}
	runtime.LockOSThread()
	home, err := netns.Get()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		enter(t, home)
		home.Close()
		runtime.UnlockOSThread()
	})
	upf, peer = namespace(t, "upf"), namespace(t, "peer") // the last one is entered
	for i, name := range []string{"a", "b"} {
		link := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: name}, PeerName: name, PeerNamespace: netlink.NsFd(upf)}
		if err := netlink.LinkAdd(link); err != nil {
			t.Fatal(err)
		}
		v4, v6 := []string{"192.0.2", "198.51.100"}[i], "2001:db8:"+name+":"
		enter(t, upf)
		mac := address(t, name, v4+".1/24", v6+":1/64")
		enter(t, peer)
		address(t, name, v4+".2/24", v6+":2/64")
		// To the other link's addresses, too, and without asking for a MAC address first.
		for _, to := range []string{"192.0.2.1", "198.51.100.1", "2001:db8:a::1", "2001:db8:b::1"} {
			reach(t, name, net.ParseIP(to), mac)
		}
	}
	return upf, peer
}

// namespace makes one and stays in it.
func namespace(t *testing.T, name string) netns.NsHandle {
	t.Helper()
	name = fmt.Sprintf("upflab-%s-%d", name, os.Getpid())
	ns, err := netns.NewNamed(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { ns.Close(); netns.DeleteNamed(name) })
	return ns
}

func enter(t *testing.T, ns netns.NsHandle) {
	t.Helper()
	if err := netns.Set(ns); err != nil {
		t.Fatal(err)
	}
}

// address sets a link up with addresses, and gives its MAC address.
func address(t *testing.T, name string, addresses ...string) net.HardwareAddr {
	t.Helper()
	link, err := netlink.LinkByName(name)
	for _, text := range addresses {
		var a *netlink.Addr
		if err == nil {
			a, err = netlink.ParseAddr(text)
		}
		if err == nil {
			a.Flags = 0x02 // IFA_F_NODAD: used at once
			err = netlink.AddrAdd(link, a)
		}
	}
	// What comes by one link from the other's network is taken, too.
	for _, of := range []string{name, "all"} {
		if err == nil {
			err = os.WriteFile("/proc/sys/net/ipv4/conf/"+of+"/rp_filter", []byte("0"), 0o644)
		}
	}
	if err == nil {
		err = netlink.LinkSetUp(link)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return link.Attrs().HardwareAddr
}

// reach has the peer find an address by a link.
func reach(t *testing.T, name string, to net.IP, mac net.HardwareAddr) {
	t.Helper()
	link, err := netlink.LinkByName(name)
	if err != nil {
		t.Fatal(err)
	}
	bits := 32
	if to.To4() == nil {
		bits = 128
	}
	index := link.Attrs().Index
	if err := netlink.NeighSet(&netlink.Neigh{LinkIndex: index, State: netlink.NUD_PERMANENT, IP: to, HardwareAddr: mac}); err != nil {
		t.Fatal(err)
	}
	// One route for each link, which a socket of that link takes.
	route := &netlink.Route{LinkIndex: index, Dst: &net.IPNet{IP: to, Mask: net.CIDRMask(bits, bits)}, Priority: index}
	if err := netlink.RouteAdd(route); err != nil {
		t.Fatal(err)
	}
}
