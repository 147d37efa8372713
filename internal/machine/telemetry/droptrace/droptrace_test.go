package droptrace_test

import (
	"fmt"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site/netns"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/machine/telemetry/droptrace"
	"github.com/upflab/upflab/internal/record"
)

// sent is how many datagrams each test loses some of.
const sent = 1000

// traced builds a testbed and traces drops in the UPF's namespace.
func traced(t *testing.T) (*netns.Testbed, *droptrace.Tracer, uint32) {
	t.Helper()
	tb := sitetest.Build(t)
	inode, err := tb.UPF().Inode()
	if err != nil {
		t.Fatal(err)
	}
	tracer, err := droptrace.Open(inode)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := tracer.Close(); err != nil {
			t.Error(err)
		}
	})
	return tb, tracer, inode
}

// dropped reads the total of one reason.
func dropped(t *testing.T, tracer *droptrace.Tracer, inode uint32, reason string) uint64 {
	t.Helper()
	counts, err := tracer.Read(inode)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range counts {
		if c.Place == record.Place(reason) {
			return c.Packets
		}
	}
	t.Logf("dropped: %v", counts)
	return 0
}

// gnbSends sends datagrams from the RAN's namespace into the UPF's.
func gnbSends(t *testing.T, tb *netns.Testbed, to netip.AddrPort, n int) {
	t.Helper()
	conn, err := tb.RAN.ListenUDP(netip.AddrPortFrom(tb.Links().GNB.Addr, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range n {
		if _, err := conn.WriteToUDPAddrPort([]byte("datagram"), to); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(50 * time.Millisecond) // the softirq that delivers the last ones
}

// A socket that nobody reads keeps what its buffer holds; the rest is counted.
func TestSocketBufferFull(t *testing.T) {
	tb, tracer, inode := traced(t)
	conn, err := tb.UPF().ListenUDP(netip.AddrPortFrom(tb.Links().UPFN3.Addr, 2152))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetReadBuffer(64 << 10); err != nil {
		t.Fatal(err)
	}
	gnbSends(t, tb, netip.AddrPortFrom(tb.Links().UPFN3.Addr, 2152), sent)
	kept := uint64(drain(t, conn))
	if kept == 0 || kept == sent {
		t.Fatalf("the socket kept %d of %d: nothing to see", kept, sent)
	}
	if n := dropped(t, tracer, inode, "socket rcvbuff"); n != sent-kept {
		t.Errorf("of %d sent %d arrived, and %d are counted as dropped", sent, kept, n)
	}
}

func drain(t *testing.T, conn *net.UDPConn) (n int) {
	t.Helper()
	if err := conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for b := make([]byte, 100); ; n++ {
		if _, err := conn.Read(b); err != nil {
			return n
		}
	}
}

// Nobody listens on the port.
func TestNoSocket(t *testing.T) {
	tb, tracer, inode := traced(t)
	gnbSends(t, tb, netip.AddrPortFrom(tb.Links().UPFN3.Addr, 9), sent)
	if n := dropped(t, tracer, inode, "no socket"); n != sent {
		t.Errorf("of %d datagrams without a socket %d are counted", sent, n)
	}
}

// The UE pool leads nowhere until a UPF routes it; then, without any route.
func TestNoRoute(t *testing.T) {
	tb, tracer, inode := traced(t)
	pool := netip.MustParsePrefix("10.45.0.0/16")
	routeByUPF(t, tb, pool)
	to := netip.MustParseAddrPort("10.45.0.2:1234")
	gnbSends(t, tb, to, sent)
	if n := dropped(t, tracer, inode, "not specified, in ip_error"); n != sent {
		t.Errorf("of %d packets into a blackhole %d are counted", sent, n)
	}
	withoutRoutes(t, tb.UPF())
	gnbSends(t, tb, to, sent)
	if n := dropped(t, tracer, inode, "ip innoroutes"); n != sent {
		t.Errorf("of %d packets without a route %d are counted", sent, n)
	}
}

// routeByUPF sends what the RAN has for a network to the UPF.
func routeByUPF(t *testing.T, tb *netns.Testbed, to netip.Prefix) {
	t.Helper()
	route := &netlink.Route{LinkIndex: tb.Links().GNB.Index, Gw: tb.Links().UPFN3.Addr.AsSlice(), Dst: ipNet(to)}
	if err := tb.RAN.Netlink().RouteReplace(route); err != nil {
		t.Fatal(err)
	}
}

func ipNet(p netip.Prefix) *net.IPNet {
	return &net.IPNet{IP: p.Addr().AsSlice(), Mask: net.CIDRMask(p.Bits(), 32)}
}

// withoutRoutes leaves only those to the networks of the interfaces.
func withoutRoutes(t *testing.T, ns *netdev.Namespace) {
	t.Helper()
	routes, err := ns.Netlink().RouteListFiltered(netlink.FAMILY_V4, &netlink.Route{Table: unix.RT_TABLE_MAIN}, netlink.RT_FILTER_TABLE)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range routes {
		if r.Scope == netlink.SCOPE_LINK {
			continue
		}
		if err := ns.Netlink().RouteDel(&r); err != nil {
			t.Fatalf("remove %v: %v", r, err)
		}
	}
}

// A TUN that nobody reads holds its queue's length.
func TestTUNQueueFull(t *testing.T) {
	const queue = 100
	tb, tracer, inode := traced(t)
	tun := openTUN(t, tb.UPF(), queue)
	defer tun.Close()
	ue := netip.MustParsePrefix("10.45.0.0/16")
	link, err := tb.UPF().Netlink().LinkByName("tun-test")
	if err != nil {
		t.Fatal(err)
	}
	route := &netlink.Route{LinkIndex: link.Attrs().Index, Scope: netlink.SCOPE_LINK, Dst: ipNet(ue)}
	if err := tb.UPF().Netlink().RouteReplace(route); err != nil {
		t.Fatal(err)
	}
	routeByUPF(t, tb, ue)
	gnbSends(t, tb, netip.MustParseAddrPort("10.45.0.2:1234"), sent)
	if n := dropped(t, tracer, inode, "full ring"); n != sent-queue {
		t.Errorf("a queue of %d lost %d of %d", queue, n, sent)
	}
}

// openTUN makes a TUN device of so long a queue and brings it up.
func openTUN(t *testing.T, ns *netdev.Namespace, queue int) *os.File {
	t.Helper()
	var file *os.File
	err := ns.Do(func() error {
		fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
		if err != nil {
			return fmt.Errorf("open /dev/net/tun: %w", err)
		}
		file = os.NewFile(uintptr(fd), "tun")
		request, err := unix.NewIfreq("tun-test")
		if err != nil {
			return err
		}
		request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
		return unix.IoctlIfreq(fd, unix.TUNSETIFF, request)
	})
	if err != nil {
		t.Skipf("no TUN device can be made here: %v", err)
	}
	nl := ns.Netlink()
	link, err := nl.LinkByName("tun-test")
	if err != nil {
		t.Fatal(err)
	}
	if err := nl.LinkSetTxQLen(link, queue); err != nil {
		t.Fatal(err)
	}
	if err := nl.LinkSetUp(link); err != nil {
		t.Fatal(err)
	}
	return file
}

// What happens in a namespace that is not watched is nobody's loss.
func TestOtherNamespace(t *testing.T) {
	tb, tracer, _ := traced(t)
	ran, err := tb.RAN.Inode()
	if err != nil {
		t.Fatal(err)
	}
	conn, err := tb.UPF().ListenUDP(netip.AddrPortFrom(tb.Links().UPFN3.Addr, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for range 10 {
		if _, err := conn.WriteToUDPAddrPort([]byte("datagram"), netip.AddrPortFrom(tb.Links().GNB.Addr, 9)); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(20 * time.Millisecond) // if they counted, they would have by then
	counts, err := tracer.Read(ran)
	if err != nil || len(counts) != 0 {
		t.Errorf("counted where nobody watches: %v, %v", counts, err)
	}
}
