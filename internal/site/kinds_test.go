package site

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
)

// specOf is a testbed with N3 and N6 of a kind.
func specOf(run string, kind Kind) Spec {
	a := netip.MustParseAddr
	return Spec{Run: run, MTU: 1600, UEPool: netip.MustParsePrefix("10.45.0.0/16"),
		N3: LinkSpec{Tester: a("192.0.2.2"), UPF: a("192.0.2.1"), Prefix: 24, Kind: kind},
		N4: LinkSpec{Tester: a("203.0.113.2"), UPF: a("203.0.113.1"), Prefix: 24},
		N6: LinkSpec{Tester: a("198.51.100.2"), UPF: a("198.51.100.1"), Prefix: 24, Kind: kind}}
}

func build(t *testing.T, change func(*Spec)) (*Testbed, error) {
	t.Helper()
	rootOnly(t)
	claim, err := newClaim(t.TempDir(), NewRunID())
	if err != nil {
		t.Fatal(err)
	}
	spec := specOf(claim.Run, Veth)
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
		if left, _ := filepath.Glob(netnsDir + "/" + namePrefix + claim.Run + "-*"); len(left) > 0 {
			t.Errorf("%v are left", left)
		}
	})
	return tb, err
}

// crosses sends a datagram each way over N3 and N6.
func crosses(t *testing.T, tb *Testbed) {
	t.Helper()
	for _, l := range [][2]Port{{tb.GNB, tb.UPFN3}, {tb.UPFN3, tb.GNB}, {tb.DNN6, tb.UPFN6}, {tb.UPFN6, tb.DNN6}} {
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
	for _, kind := range []Kind{Veth, Bridge, Macvlan} {
		t.Run(string(kind), func(t *testing.T) {
			tb, err := build(t, func(s *Spec) { s.N3.Kind, s.N6.Kind = kind, kind })
			if err != nil {
				t.Fatal(err)
			}
			crosses(t, tb)
			if got, want := tb.NativeXDP(), kind != Macvlan; got != want {
				t.Errorf("native XDP: %v, want %v", got, want)
			}
			if between := tb.N3Between != nil && tb.N6Between != nil; between != (kind == Bridge) {
				t.Errorf("something is between the ends: %v", between)
			}
			if err := errors.Join(tb.UPFN3.SetGRO(true), tb.UPFN3.SetThreaded(true)); err != nil {
				t.Error(err)
			}
			if pids, err := tb.UPFN3.NAPIThreads(); err != nil || len(pids) != 1 {
				t.Errorf("NAPI threads %v, %v", pids, err)
			}
		})
	}
}

// Each reference point may be made in its own way.
func TestKindsMixed(t *testing.T) {
	tb, err := build(t, func(s *Spec) { s.N3.Kind, s.N6.Kind = Macvlan, Bridge })
	if err != nil {
		t.Fatal(err)
	}
	crosses(t, tb)
	if tb.NativeXDP() || !tb.UPFN6.NativeXDP() {
		t.Error("N3 has native XDP, or N6 has none")
	}
}

// machine is a namespace that plays the host, with two veth pairs that play cabled
// ports of NICs: p0-p1 and p2-p3, of which p0 has an address.
func machine(t *testing.T) *Namespace {
	t.Helper()
	rootOnly(t)
	host, err := newNamespace(namePrefix + NewRunID() + "-host")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { host.close() })
	for _, names := range [][2]string{{"p0", "p1"}, {"p2", "p3"}} {
		attrs := netlink.NewLinkAttrs()
		attrs.Name = names[0]
		if err := host.nl.LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: names[1]}); err != nil {
			t.Fatal(err)
		}
	}
	p0, err := host.nl.LinkByName("p0")
	if err != nil {
		t.Fatal(err)
	}
	addr, _ := netlink.ParseAddr("10.9.9.9/24")
	if err := errors.Join(host.nl.AddrAdd(p0, addr), host.nl.LinkSetUp(p0)); err != nil {
		t.Fatal(err)
	}
	return host
}

func cabled(s *Spec) {
	s.N3.Kind, s.N3.Device, s.N3.TesterDevice = Physical, "p0", "p1"
	s.N6.Kind, s.N6.Device, s.N6.TesterDevice = Physical, "p2", "p3"
}

// state is what a device is like, for comparison.
func state(t *testing.T, host *Namespace, name string) string {
	t.Helper()
	link, err := host.nl.LinkByName(name)
	if err != nil {
		return err.Error()
	}
	addrs, err := host.nl.AddrList(link, netlink.FAMILY_V4)
	if err != nil {
		t.Fatal(err)
	}
	features, err := (&Port{NS: host, Name: name}).features()
	if err != nil {
		t.Fatal(err)
	}
	a := link.Attrs()
	return fmt.Sprint(a.Name, a.MTU, a.HardwareAddr, a.Flags.String(), addrs, features)
}

var cabledPorts = []string{"p0", "p1", "p2", "p3"}

func states(t *testing.T, host *Namespace) (list []string) {
	for _, name := range cabledPorts {
		list = append(list, strings.ReplaceAll(strings.ReplaceAll(state(t, host, name), "|running", ""), "|lowerup", ""))
	}
	return list
}

func TestPhysical(t *testing.T) {
	host := machine(t)
	before := states(t, host)
	err := host.Do(func() error {
		claim, err := newClaim(t.TempDir(), NewRunID())
		if err != nil {
			return err
		}
		defer claim.Close()
		spec := specOf(claim.Run, Veth)
		cabled(&spec)
		tb, err := Build(claim, spec)
		if err != nil {
			return err
		}
		crosses(t, tb)
		if !tb.NativeXDP() {
			t.Error("a veth that plays a NIC has no native XDP")
		}
		if state(t, host, "p0") == before[0] {
			t.Error("p0 is still at home")
		}
		if err := errors.Join(tb.UPFN3.SetGRO(true), tb.UPFN3.SetThreaded(true)); err != nil {
			t.Error(err)
		}
		return tb.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := states(t, host); !slices.Equal(after, before) {
		t.Errorf("they came home as\n%s\nand were\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
}

// What a killed run had moved comes home at the next start.
func TestPhysicalOfKilledRun(t *testing.T) {
	host := machine(t)
	before := states(t, host)
	dir := t.TempDir()
	err := host.Do(func() error {
		claim, err := newClaim(dir, NewRunID())
		if err != nil {
			return err
		}
		spec := specOf(claim.Run, Veth)
		cabled(&spec)
		tb, err := Build(claim, spec)
		if err != nil {
			return err
		}
		claim.kill()
		for _, ns := range tb.namespaces() { // the kernel closes what a killed process had open
			if ns != nil {
				ns.nl.Close()
				ns.ns.Close()
			}
		}
		if r, err := readRecord(claim.path); err != nil || !slices.Contains(r.Owns, "device p0, in "+tb.UPF.Name) {
			t.Errorf("the list of the run has %v, %v", r.Owns, err)
		}
		removed, err := cleanStale(dir)
		if !slices.Contains(removed, "device p2, brought home") {
			t.Errorf("it removed %v", removed)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if after := states(t, host); !slices.Equal(after, before) {
		t.Errorf("they came home as\n%s\nand were\n%s", strings.Join(after, "\n"), strings.Join(before, "\n"))
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("%v is left", left)
	}
}

func TestPhysicalRefused(t *testing.T) {
	host := machine(t)
	before := states(t, host)
	p2, _ := host.nl.LinkByName("p2")
	if err := host.nl.LinkSetUp(p2); err != nil {
		t.Fatal(err)
	}
	attempt := func(device string) (err error) {
		host.Do(func() error {
			_, err = build(t, func(s *Spec) { cabled(s); s.N3.TesterDevice = device })
			return nil
		})
		return err
	}
	if err := attempt("p9"); err == nil || !strings.Contains(err.Error(), "find the device p9") || !strings.Contains(err.Error(), "ip link") {
		t.Errorf("a device that is not: %v", err)
	}
	addr, _ := netlink.ParseAddr("10.8.8.8/24")
	host.nl.AddrAdd(p2, addr)
	if err := host.nl.RouteAdd(&netlink.Route{LinkIndex: p2.Attrs().Index, Gw: netip.MustParseAddr("10.8.8.1").AsSlice()}); err != nil {
		t.Fatal(err)
	}
	if err := attempt("p2"); err == nil || !strings.Contains(err.Error(), "p2 has the default route") {
		t.Errorf("the device of the default route: %v", err)
	}
	if got := states(t, host)[0]; got != before[0] {
		t.Errorf("p0, moved before, is\n%s\nand was\n%s", got, before[0])
	}
}
