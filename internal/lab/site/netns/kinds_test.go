package netns

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// specOf is a testbed with N3 and N6 of a kind.
func specOf(run string, kind site.Kind) site.Spec {
	a := netip.MustParseAddr
	return site.Spec{Run: run, MTU: 1600, UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
		N3: site.LinkSpec{Tester: a("192.0.2.2"), UPF: a("192.0.2.1"), Prefix: 24, Kind: kind},
		N4: site.LinkSpec{Tester: a("203.0.113.2"), UPF: a("203.0.113.1"), Prefix: 24},
		N6: site.LinkSpec{Tester: a("198.51.100.2"), UPF: a("198.51.100.1"), Prefix: 24, Kind: kind}}
}

func build(t *testing.T, change func(*site.Spec)) (*Testbed, error) {
	t.Helper()
	rootOnly(t)
	claim, err := host.NewClaimIn(t.TempDir(), host.NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	spec := specOf(claim.Run, site.Veth)
	change(&spec)
	tb, err := Build(claim, spec)
	t.Cleanup(func() {
		if tb != nil {
			err = tb.Close()
		} else {
			err = nil
		}
		if err := errors.Join(err, claim.Close()); err != nil {
			t.Error(err)
		}
		if left, _ := filepath.Glob(netdev.NamedDir + "/" + "upflab-" + claim.Run + "-*"); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
	})
	return tb, err
}

// crosses sends a datagram each way over N3 and N6.
func crosses(t *testing.T, tb *Testbed) {
	t.Helper()
	for _, l := range [][2]netdev.Port{{tb.Links().GNB, tb.Links().UPFN3}, {tb.Links().UPFN3, tb.Links().GNB},
		{tb.Links().DNN6, tb.Links().UPFN6}, {tb.Links().UPFN6, tb.Links().DNN6}} {
		at := netip.AddrPortFrom(l[1].Addr, 4000)
		conn, err := l[1].NS.ListenUDP(at)
		if err != nil {
			t.Fatal(err)
		}
		sender, err := l[0].NS.Dial(context.Background(), "udp", at.String())
		if err != nil {
			t.Fatal(err)
		}
		sender.Write([]byte("hello"))
		conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		var b [16]byte
		n, from, err := conn.ReadFromUDPAddrPort(b[:])
		if err != nil || string(b[:n]) != "hello" || from.Addr() != l[0].Addr {
			t.Errorf("from %s to %s: %q from %s, %v", l[0].Addr, l[1].Addr, b[:n], from, err)
		}
		sender.Close()
		conn.Close()
	}
}

func TestKinds(t *testing.T) {
	for _, kind := range []site.Kind{site.Veth, site.Bridge, site.Macvlan} {
		t.Run(string(kind), func(t *testing.T) {
			tb, err := build(t, func(s *site.Spec) { s.N3.Kind, s.N6.Kind = kind, kind })
			if err != nil {
				t.Fatal(err)
			}
			crosses(t, tb)
			if got, want := site.NativeXDP(tb), kind != site.Macvlan; got != want {
				t.Errorf("native XDP: %v, want %v", got, want)
			}
			if between := tb.Links().N3Between != nil && tb.Links().N6Between != nil; between != (kind == site.Bridge) {
				t.Errorf("something is between the ends: %v", between)
			}
			if err := errors.Join(tb.Links().UPFN3.SetGRO(true), tb.Links().UPFN3.NAPI().SetThreaded(true)); err != nil {
				t.Error(err)
			}
			if pids, err := tb.Links().UPFN3.NAPI().Threads(); err != nil || len(pids) != 1 {
				t.Errorf("NAPI threads %v, %v", pids, err)
			}
		})
	}
}

// Each reference point may be made in its own way.
func TestKindsMixed(t *testing.T) {
	tb, err := build(t, func(s *site.Spec) { s.N3.Kind, s.N6.Kind = site.Macvlan, site.Bridge })
	if err != nil {
		t.Fatal(err)
	}
	crosses(t, tb)
	if site.NativeXDP(tb) || !tb.Links().UPFN6.XDP().Native() {
		t.Error("N3 has native XDP, or N6 has none")
	}
}

// machine is a namespace that plays the host, with two veth pairs that play cabled
// ports of NICs: p0-p1 and p2-p3, of which p0 has an address.
func machine(t *testing.T) *netdev.Namespace {
	t.Helper()
	rootOnly(t)
	home, err := netdev.New("upflab-" + host.NewRunID() + "-host")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { home.Close() })
	for _, names := range [][2]string{{"p0", "p1"}, {"p2", "p3"}} {
		attrs := netlink.NewLinkAttrs()
		attrs.Name = names[0]
		if err := home.Netlink().LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: names[1]}); err != nil {
			t.Fatal(err)
		}
	}
	p0, err := home.Netlink().LinkByName("p0")
	if err != nil {
		t.Fatal(err)
	}
	if err := home.Netlink().LinkSetUp(p0); err != nil {
		t.Fatal(err)
	}
	p1, err := home.Netlink().LinkByName("p1")
	if err != nil {
		t.Fatal(err)
	}
	if err := home.Netlink().LinkSetUp(p1); err != nil {
		t.Fatal(err)
	}
	settle(t, home, p0)
	return home
}

// settle gives a device all that an administrator can give it.
func settle(t *testing.T, home *netdev.Namespace, p0 netlink.Link) {
	t.Helper()
	labelled, _ := netlink.ParseAddr("10.9.9.9/24")
	labelled.Label = "p0:mgmt"
	second, _ := netlink.ParseAddr("10.9.9.10/24")
	v6, _ := netlink.ParseAddr("2001:db8::9/64")
	v6.Flags = unix.IFA_F_NODAD
	local, _ := netlink.ParseAddr("fe80::9/64")
	local.Flags = unix.IFA_F_NODAD
	nl := home.Netlink()
	for _, a := range []*netlink.Addr{labelled, second, v6, local} {
		if err := nl.AddrAdd(p0, a); err != nil {
			t.Fatal(err)
		}
	}
	for to, via := range map[string]string{"10.77.0.0/16": "10.9.9.1", "2001:db8:77::/48": "2001:db8::1"} {
		_, dst, _ := net.ParseCIDR(to)
		if err := nl.RouteAdd(&netlink.Route{LinkIndex: p0.Attrs().Index, Dst: dst, Gw: net.ParseIP(via), Table: 77, Priority: 7}); err != nil {
			t.Fatal(err)
		}
	}
	p := netdev.Port{NS: home, Name: "p0"}
	if err := errors.Join(p.SetGRO(true), p.NAPI().SetThreaded(true), home.Sysctl("ipv4/conf/p0/rp_filter", "2"),
		home.Sysctl("ipv6/conf/p0/accept_ra", "0"), home.Sysctl("ipv4/neigh/p0/mcast_solicit", "9")); err != nil {
		t.Fatal(err)
	}
}

func cabled(s *site.Spec) {
	s.N3.Kind, s.N3.Device, s.N3.TesterDevice = site.Physical, "p0", "p1"
	s.N6.Kind, s.N6.Device, s.N6.TesterDevice = site.Physical, "p2", "p3"
}

// state is what a device is like, for comparison.
func state(t *testing.T, home *netdev.Namespace, name string) string {
	t.Helper()
	link, err := home.Netlink().LinkByName(name)
	if err != nil {
		return err.Error()
	}
	s, err := home.Device(name).Read()
	if err != nil {
		t.Fatal(err)
	}
	for i := range s.Addresses { // a tentative address becomes another one within a second
		s.Addresses[i].Flags &^= unix.IFA_F_TENTATIVE
	}
	a := link.Attrs()
	lines := []string{fmt.Sprint(a.HardwareAddr, a.Flags.String()), fmt.Sprintf("mtu %d, up %v, threaded %s", s.MTU, s.Up, s.Threaded)}
	for _, x := range s.Addresses {
		lines = append(lines, fmt.Sprintf("address %+v", x))
	}
	for _, r := range s.Routes {
		lines = append(lines, fmt.Sprintf("route %s", r))
	}
	for _, list := range []any{s.Features, s.Sysctls} {
		lines = append(lines, strings.Fields(strings.Trim(fmt.Sprint(list), "map[]"))...)
	}
	return strings.Join(lines, "\n")
}

var cabledPorts = []string{"p0", "p1", "p2", "p3"}

func states(t *testing.T, home *netdev.Namespace) (list []string) {
	for _, name := range cabledPorts {
		list = append(list, strings.ReplaceAll(strings.ReplaceAll(state(t, home, name), "|running", ""), "|lowerup", ""))
	}
	return list
}

func TestPhysical(t *testing.T) {
	home := machine(t)
	before := states(t, home)
	err := home.Do(func() error {
		claim, err := host.NewClaimIn(t.TempDir(), host.NewRunID())
		if err != nil {
			return err
		}
		defer claim.Close()
		spec := specOf(claim.Run, site.Veth)
		cabled(&spec)
		tb, err := Build(claim, spec)
		if err != nil {
			return err
		}
		crosses(t, tb)
		if !site.NativeXDP(tb) {
			t.Error("a veth that plays a NIC has no native XDP")
		}
		if state(t, home, "p0") == before[0] {
			t.Error("p0 is still at home")
		}
		if err := errors.Join(tb.Links().UPFN3.SetGRO(true), tb.Links().UPFN3.NAPI().SetThreaded(true)); err != nil {
			t.Error(err)
		}
		return tb.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := states(t, home); !slices.Equal(after, before) {
		t.Errorf("they came home otherwise: %s", differences(before, after))
	}
}

// What a killed run had moved comes home at the next start.
func TestPhysicalOfKilledRun(t *testing.T) {
	home := machine(t)
	before := states(t, home)
	dir := t.TempDir()
	err := home.Do(func() error {
		claim, err := host.NewClaimIn(dir, host.NewRunID())
		if err != nil {
			return err
		}
		spec := specOf(claim.Run, site.Veth)
		cabled(&spec)
		tb, err := Build(claim, spec)
		if err != nil {
			return err
		}
		claim.Abandon()
		for _, ns := range tb.namespaces() { // the kernel closes what a killed process had open
			if ns != nil {
				ns.Release()
			}
		}
		if r, err := host.RecordsIn(dir); err != nil || len(r) != 1 || !slices.Contains(r[0].Owns, "device p0, in "+tb.UPF().Name) {
			t.Errorf("the list of the run has %v, %v", r, err)
		}
		removed, err := host.CleanStaleIn(dir)
		if !slices.Contains(removed, "device p2, brought home") {
			t.Errorf("it removed %v", removed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := states(t, home); !slices.Equal(after, before) {
		t.Errorf("they came home otherwise: %s", differences(before, after))
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestPhysicalRefused(t *testing.T) {
	home := machine(t)
	before := states(t, home)
	p2, _ := home.Netlink().LinkByName("p2")
	if err := home.Netlink().LinkSetUp(p2); err != nil {
		t.Fatal(err)
	}
	attempt := func(device string) (err error) {
		home.Do(func() error {
			_, err = build(t, func(s *site.Spec) { cabled(s); s.N3.TesterDevice = device })
			return nil
		})
		return err
	}
	if err := attempt("p9"); err == nil || !strings.Contains(err.Error(), "find the device p9") || !strings.Contains(err.Error(), "ip link") {
		t.Errorf("a device that is not: %v", err)
	}
	addr, _ := netlink.ParseAddr("10.8.8.8/24")
	home.Netlink().AddrAdd(p2, addr)
	if err := home.Netlink().RouteAdd(&netlink.Route{LinkIndex: p2.Attrs().Index, Gw: netip.MustParseAddr("10.8.8.1").AsSlice()}); err != nil {
		t.Fatal(err)
	}
	if err := attempt("p2"); err == nil || !strings.Contains(err.Error(), "p2 has a default route") {
		t.Errorf("the device of the default route: %v", err)
	}
	host6(t, home, p2)
	if err := attempt("p2"); err == nil || !strings.Contains(err.Error(), "p2 has a default route") {
		t.Errorf("the device of the IPv6 default route: %v", err)
	}
	if got := states(t, home)[0]; got != before[0] {
		t.Errorf("p0, moved before, is\n%s\nand was\n%s", got, before[0])
	}
}

// host6 replaces the default route of a device by one for IPv6.
func host6(t *testing.T, home *netdev.Namespace, link netlink.Link) {
	t.Helper()
	nl := home.Netlink()
	err := nl.RouteDel(&netlink.Route{LinkIndex: link.Attrs().Index, Gw: net.ParseIP("10.8.8.1").To4()})
	_, all, _ := net.ParseCIDR("::/0")
	if err := errors.Join(err, nl.RouteAdd(&netlink.Route{LinkIndex: link.Attrs().Index, Dst: all, Gw: net.ParseIP("fe80::1")})); err != nil {
		t.Fatal(err)
	}
}

// A device whose queueing somebody has set up would come home without it.
func TestPhysicalWithQdiscIsRefused(t *testing.T) {
	home := machine(t)
	p1, _ := home.Netlink().LinkByName("p1")
	attrs := netlink.QdiscAttrs{LinkIndex: p1.Attrs().Index, Handle: netlink.MakeHandle(1, 0), Parent: netlink.HANDLE_ROOT}
	qdisc := &netlink.Tbf{QdiscAttrs: attrs, Rate: 1 << 20, Limit: 1 << 20, Buffer: 1 << 20}
	if err := home.Netlink().QdiscAdd(qdisc); err != nil {
		t.Skipf("this kernel has no tbf queueing discipline: %v", err)
	}
	err := home.Do(func() (err error) {
		_, err = build(t, func(s *site.Spec) { cabled(s) })
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "p1 has the queueing discipline tbf") {
		t.Errorf("%v", err)
	}
}

// differences are the lines that one has and not the other.
func differences(before, after []string) string {
	var text strings.Builder
	lines := func(list []string) []string { return strings.Split(strings.Join(list, "\n"), "\n") }
	was, is := lines(before), lines(after)
	for _, l := range was {
		if !slices.Contains(is, l) {
			text.WriteString("\n- " + l)
		}
	}
	for _, l := range is {
		if !slices.Contains(was, l) {
			text.WriteString("\n+ " + l)
		}
	}
	return text.String()
}
