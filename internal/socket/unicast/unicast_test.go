package unicast_test

import (
	"context"
	"encoding/hex"
	"errors"
	"net"
	"net/netip"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/socket/unicast"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// link makes a namespace with a pair of interfaces, of which n3 has an address, and stays there.
func link(t *testing.T) netlink.Link {
	if os.Geteuid() != 0 {
		if os.Getenv("CI") == "true" {
			t.Fatal("needs root, for namespaces: run the tests as root")
		}
		t.Skip("needs root, for namespaces")
	}
	runtime.LockOSThread()
	home, err := netns.Get()
	must(t, err)
	name := "upflab-unicast-" + strconv.Itoa(os.Getpid())
	ns, err := netns.NewNamed(name)
	must(t, err)
	t.Cleanup(func() {
		must(t, netns.Set(home))
		must(t, netns.DeleteNamed(name))
		ns.Close()
		home.Close()
		runtime.UnlockOSThread()
	})
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.HardwareAddr = "n3", net.HardwareAddr{2, 0, 0, 0, 3, 1}
	must(t, netlink.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: "n3p"}))
	peer, err := netlink.LinkByName("n3p")
	must(t, err)
	n3, err := netlink.LinkByName("n3")
	must(t, err)
	must(t, netlink.LinkSetUp(peer))
	must(t, netlink.LinkSetUp(n3))
	give(t, n3, "192.0.2.1/24")
	must(t, netlink.NeighSet(&netlink.Neigh{LinkIndex: n3.Attrs().Index, IP: net.IPv4(192, 0, 2, 2),
		HardwareAddr: net.HardwareAddr{2, 0, 0, 0, 3, 2}, State: netlink.NUD_PERMANENT}))
	return n3
}

func give(t *testing.T, to netlink.Link, address string) {
	t.Helper()
	a, err := netlink.ParseAddr(address)
	must(t, err)
	must(t, netlink.AddrAdd(to, a))
}

func open(t *testing.T) *net.UDPConn {
	t.Helper()
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error { return unicast.Control(raw) }}
	conn, err := config.ListenPacket(context.Background(), "udp4", "192.0.2.1:2152")
	must(t, err)
	t.Cleanup(func() { conn.Close() })
	return conn.(*net.UDPConn)
}

// TestNoBroadcast: nothing is sent to a broadcast address, even to one of a subnet that came later.
func TestNoBroadcast(t *testing.T) {
	n3 := link(t)
	c := open(t)
	send := func(to string) error {
		_, err := c.WriteToUDPAddrPort([]byte("x"), netip.AddrPortFrom(netip.MustParseAddr(to), 2152))
		return err
	}
	must(t, send("192.0.2.2"))
	give(t, n3, "198.51.100.1/28")
	for _, to := range []string{"192.0.2.255", "255.255.255.255", "198.51.100.15"} {
		if err := send(to); !errors.Is(err, unix.EACCES) {
			t.Errorf("to %s: %v", to, err)
		}
	}
}

// datagram is one of scapy's:
//
//	Ether(dst="02:00:00:00:03:01", src="02:00:00:00:03:02") / IP(src="192.0.2.2", dst="192.0.2.1", id=1) /
//	UDP(sport=2152, dport=2152) / b"x"
func datagram() []byte {
	b, _ := hex.DecodeString("02000000030102000000030208004500001d000100" +
		"004011f6cbc0000202c0000201086808680009f30778")
	return b
}

// TestOwnFramesAlone: what came in a frame to others, or to all, is not received.
func TestOwnFramesAlone(t *testing.T) {
	link(t)
	c := open(t)
	p, err := tpacket.Open(tpacket.Config{Interface: "n3p"})
	must(t, err)
	defer p.Close()
	for _, to := range []net.HardwareAddr{
		{255, 255, 255, 255, 255, 255}, {1, 0, 0x5e, 0, 0, 1}, {2, 0, 0, 0, 0, 0x99}, {2, 0, 0, 0, 3, 1},
	} {
		_, err := p.Send([][]byte{append(to[:6:6], datagram()[6:]...)})
		must(t, err)
		must(t, c.SetReadDeadline(time.Now().Add(300*time.Millisecond)))
		_, _, err = c.ReadFrom(make([]byte, 100))
		if own := to.String() == "02:00:00:00:03:01"; own != (err == nil) {
			t.Errorf("to %v: %v", to, err)
		}
	}
}
