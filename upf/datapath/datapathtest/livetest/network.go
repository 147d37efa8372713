package livetest

import (
	"fmt"
	"net"
	"os"
	"runtime"
	"testing"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// Must fails the test on an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Network makes a namespace of the test's own with N3 and N6 in it, and stays
// there until the test ends. It is the one of package xdp's gen.py.
func Network(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for namespaces and devices: run the tests as root")
		}
		t.Skip("needs root, for namespaces and devices")
	}
	runtime.LockOSThread()
	home, err := netns.Get()
	Must(t, err)
	name := fmt.Sprintf("upflab-path-%d", os.Getpid())
	ns, err := netns.NewNamed(name)
	Must(t, err)
	t.Cleanup(func() {
		Must(t, netns.Set(home))
		Must(t, netns.DeleteNamed(name))
		ns.Close()
		home.Close()
		runtime.UnlockOSThread()
	})
	Must(t, os.WriteFile("/proc/sys/net/ipv6/conf/default/disable_ipv6", []byte("1"), 0))
	Must(t, os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0))
	addPair(t, "n3", "02:00:00:00:03:01", "192.0.2.1/24", "192.0.2.2", "02:00:00:00:03:02")
	addPair(t, "n6", "02:00:00:00:06:01", "198.51.100.1/24", "198.51.100.2", "02:00:00:00:06:02")
	addIPv6(t, "n3", "2001:db8:3::1/64", "2001:db8:3::2", "02:00:00:00:03:02")
	addIPv6(t, "n6", "2001:db8:6::1/64", "2001:db8:6::2", "02:00:00:00:06:02")
	Must(t, os.WriteFile("/proc/sys/net/ipv6/conf/all/forwarding", []byte("1"), 0))
}

// addPair makes a veth pair, name and its peer, and a neighbour behind the peer.
func addPair(t testing.TB, name, mac, address, neighbour, at string) {
	t.Helper()
	attrs := netlink.NewLinkAttrs()
	attrs.Name = name
	attrs.HardwareAddr, _ = net.ParseMAC(mac)
	Must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: name + "p"}))
	link, err := netlink.LinkByName(name)
	Must(t, err)
	addr, err := netlink.ParseAddr(address)
	Must(t, err)
	Must(t, netlink.AddrAdd(link, addr))
	peer, err := netlink.LinkByName(name + "p")
	Must(t, err)
	Must(t, netlink.LinkSetUp(link))
	Must(t, netlink.LinkSetUp(peer))
	addNeighbour(t, link, neighbour, at)
}

func addNeighbour(t testing.TB, link netlink.Link, neighbour, at string) {
	t.Helper()
	hw, err := net.ParseMAC(at)
	Must(t, err)
	Must(t, netlink.NeighSet(&netlink.Neigh{
		LinkIndex: link.Attrs().Index, IP: net.ParseIP(neighbour), HardwareAddr: hw, State: netlink.NUD_PERMANENT,
	}))
}

// addIPv6 gives an interface an IPv6 address, and has the kernel send nothing of its own
// there but what is asked for.
func addIPv6(t testing.TB, name, address, neighbour, at string) {
	t.Helper()
	for _, set := range [][2]string{{"addr_gen_mode", "1"}, {"accept_ra", "0"}, {"disable_ipv6", "0"}} {
		Must(t, os.WriteFile("/proc/sys/net/ipv6/conf/"+name+"/"+set[0], []byte(set[1]), 0))
	}
	link, err := netlink.LinkByName(name)
	Must(t, err)
	addr, err := netlink.ParseAddr(address)
	Must(t, err)
	addr.Flags = unix.IFA_F_NODAD
	Must(t, netlink.AddrAdd(link, addr))
	addNeighbour(t, link, neighbour, at)
}
