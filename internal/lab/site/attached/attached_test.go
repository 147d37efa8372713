package attached

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"github.com/vishvananda/netlink"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/host"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// handMade is what somebody has before `upflab run --dut external`: a namespace
// with ports of N3 and N6, and a UPF's ports behind them.
func handMade(t *testing.T) (tester, upf *netdev.Namespace, spec site.Spec) {
	t.Helper()
	sitetest.Privileged(t)
	run := host.NewRunID()
	for name, ns := range map[string]**netdev.Namespace{"tester": &tester, "upf": &upf} {
		made, err := netdev.New("upflab-" + run + "-" + name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { made.Close() })
		*ns = made
	}
	a := netip.MustParseAddr
	spec = site.Spec{Run: run,
		N3: site.LinkSpec{Tester: a("192.0.2.2"), UPF: a("192.0.2.1"), Prefix: 24},
		N6: site.LinkSpec{Tester: a("198.51.100.2"), UPF: a("198.51.100.1"), Prefix: 24}}
	for i, s := range []site.LinkSpec{spec.N3, spec.N6} {
		connect(t, []string{"n3", "n6"}[i], byte(i+1), s, tester, upf)
	}
	return tester, upf, spec
}

// mac gives the address of an end of a link: 1 is the tester, 2 the UPF.
func mac(id, end byte) net.HardwareAddr { return net.HardwareAddr{2, 0, 0, 0, id, end} }

// connect makes a veth pair whose ends know each other.
func connect(t *testing.T, name string, id byte, s site.LinkSpec, tester, upf *netdev.Namespace) {
	t.Helper()
	ours := netdev.Port{NS: tester, Name: name, MAC: mac(id, 1), Addr: s.Tester, Prefix: s.Prefix}
	theirs := netdev.Port{NS: upf, Name: name, MAC: mac(id, 2), Addr: s.UPF, Prefix: s.Prefix}
	attrs := netlink.NewLinkAttrs()
	attrs.Name, attrs.HardwareAddr = name, ours.MAC
	err := tester.Netlink().LinkAdd(&netlink.Veth{LinkAttrs: attrs, PeerName: name, PeerHardwareAddr: theirs.MAC,
		PeerNamespace: netlink.NsFd(upf.FD())})
	if err := errors.Join(err, ours.Configure(&theirs), theirs.Configure(&ours)); err != nil {
		t.Fatal(err)
	}
}

func claimOf(t *testing.T, spec site.Spec) *host.Claim {
	t.Helper()
	claim, err := host.NewClaimIn(t.TempDir(), spec.Run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { claim.Close() })
	return claim
}

func TestOpen(t *testing.T) {
	tester, _, spec := handMade(t)
	claim := claimOf(t, spec)
	err := tester.Do(func() error {
		tb, err := Open(claim, spec, "n3", "n6")
		if err != nil {
			return err
		}
		if tb.OwnsUPF() || tb.Links().GNB.Name != "n3" || tb.Links().DNN6.Name != "n6" {
			err = fmt.Errorf("attached to %s and %s", tb.Links().GNB.Name, tb.Links().DNN6.Name)
		}
		if got, want := tb.Links().UPFN3.MAC.String()+" "+tb.Links().UPFN6.MAC.String(), mac(1, 2).String()+" "+mac(2, 2).String(); got != want {
			err = fmt.Errorf("the UPF's ports are %s, want %s", got, want)
		}
		return errors.Join(err, tb.Close())
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := tester.Netlink().LinkByName("n3"); err != nil {
		t.Error("what was there before is gone: ", err)
	}
}

func TestOpenResolvesByARP(t *testing.T) {
	tester, _, spec := handMade(t)
	forget(t, tester)
	claim := claimOf(t, spec)
	err := tester.Do(func() error {
		tb, err := Open(claim, spec, "n3", "n6")
		if err != nil {
			return err
		}
		if tb.Links().UPFN3.MAC.String() != mac(1, 2).String() {
			err = fmt.Errorf("the UPF's N3 is %s", tb.Links().UPFN3.MAC)
		}
		return errors.Join(err, tb.Close())
	})
	if err != nil {
		t.Error(err)
	}
}

// TestOpenResolvesByND: an N3 of IPv6 needs no IPv4, and the UPF's MAC address is that of its Neighbour
// Advertisement.
func TestOpenResolvesByND(t *testing.T) {
	tester, upf, spec := handMade(t)
	a := netip.MustParseAddr
	for ns, ip := range map[*netdev.Namespace]string{tester: "2001:db8:3::1", upf: "2001:db8:3::2"} {
		link, err := ns.Netlink().LinkByName("n3")
		if err != nil {
			t.Fatal(err)
		}
		port := netdev.Port{NS: ns, Name: "n3", Index: link.Attrs().Index}
		if err := port.AddIPv6(a(ip)); err != nil {
			t.Skipf("no IPv6 here: %v", err)
		}
	}
	spec.N3 = site.LinkSpec{Tester: a("2001:db8:3::1"), UPF: a("2001:db8:3::2"), Prefix: 64}
	claim := claimOf(t, spec)
	open := func(spec site.Spec) (mac string, err error) {
		err = tester.Do(func() error {
			tb, err := Open(claim, spec, "n3", "n6")
			if err != nil {
				return err
			}
			mac = tb.Links().UPFN3.MAC.String()
			return tb.Close()
		})
		return mac, err
	}
	if got, err := open(spec); err != nil || got != mac(1, 2).String() {
		t.Errorf("the UPF's N3 is %q, %v", got, err)
	}
	spec.N3.Tester = a("2001:db8:3::9")
	if _, err := open(spec); err == nil || !strings.Contains(err.Error(), "ip addr add 2001:db8:3::9/64 dev n3") || !strings.Contains(err.Error(), "n3.gnb6") {
		t.Errorf("without the address: %v", err)
	}
}

// forget removes the permanent neighbours, which nobody makes by hand.
func forget(t *testing.T, ns *netdev.Namespace) {
	t.Helper()
	for _, name := range []string{"n3", "n6"} {
		link, err := ns.Netlink().LinkByName(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := ns.Netlink().NeighList(link.Attrs().Index, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range list {
			ns.Netlink().NeighDel(&n)
		}
	}
}

func TestOpenErrors(t *testing.T) {
	tester, upf, spec := handMade(t)
	forget(t, tester)
	claim := claimOf(t, spec)
	attach := func(n3 string) error {
		return tester.Do(func() error {
			_, err := Open(claim, spec, n3, "n6")
			return err
		})
	}
	expect := func(err error, words ...string) {
		t.Helper()
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("the error %v does not say %q", err, w)
			}
		}
	}
	expect(attach("n33"), "external.n3_interface", `"n33"`, "192.0.2.2")
	wrong := spec
	wrong.N3.Tester = netip.MustParseAddr("192.0.2.7")
	err := tester.Do(func() error {
		_, err := Open(claim, wrong, "n3", "n6")
		return err
	})
	expect(err, "n3 has no address 192.0.2.7", "ip addr add 192.0.2.7/24 dev n3", "n3.gnb")
	link, err := upf.Netlink().LinkByName("n3")
	if err != nil {
		t.Fatal(err)
	}
	if err := upf.Netlink().LinkSetDown(link); err != nil {
		t.Fatal(err)
	}
	expect(attach("n3"), "192.0.2.1", "ARP", "n3")
	if link, err = tester.Netlink().LinkByName("n3"); err == nil {
		err = tester.Netlink().LinkSetDown(link)
	}
	if err != nil {
		t.Fatal(err)
	}
	expect(attach("n3"), "n3 is down", "ip link set n3 up")
}

// GRO of the user's interfaces is as before, after a run and after a killed one.
func TestGROComesBack(t *testing.T) {
	tester, _, spec := handMade(t)
	port := &netdev.Port{NS: tester, Name: "n3"}
	on := func() bool {
		features, err := port.Features()
		if err != nil {
			t.Fatal(err)
		}
		return features["rx-gro"]
	}
	for _, killed := range []bool{false, true} {
		dir := t.TempDir()
		claim, err := host.NewClaimIn(dir, host.NewRunID())
		if err != nil {
			t.Fatal(err)
		}
		err = tester.Do(func() error {
			a, err := Open(claim, spec, "n3", "n6")
			if err != nil {
				return err
			}
			if _, err := a.PrepareReceive(site.Receive{SinkNAPI: true}); err != nil {
				return err
			}
			if !on() {
				t.Error("GRO is off in the run")
			}
			if killed {
				return claim.Abandon()
			}
			return errors.Join(a.Close(), claim.Close())
		})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := host.CleanStaleIn(dir); err != nil {
			t.Error(err)
		}
		if on() {
			t.Errorf("killed %v: GRO is left on", killed)
		}
	}
}

// channels are the queues of the tester's ports.
func channels(t *testing.T, ns *netdev.Namespace) (list []netdev.Channels) {
	t.Helper()
	for _, name := range []string{"n3", "n6"} {
		p := netdev.Port{NS: ns, Name: name}
		now, _, err := p.Queues().Channels()
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, now)
	}
	return list
}

// TestQueues: the tester's ports get the queues that the run asks for, and have as many as before
// at its end, and after a killed one. A veth hashes no TEIDs, which is recorded.
func TestQueues(t *testing.T) {
	for _, killed := range []bool{false, true} {
		tester, _, spec := handMade(t)
		spec.Queues = 2
		dir, before := t.TempDir(), channels(t, tester)
		claim, err := host.NewClaimIn(dir, spec.Run)
		if err != nil {
			t.Fatal(err)
		}
		err = tester.Do(func() error {
			tb, err := Open(claim, spec, "n3", "n6")
			if err != nil {
				return err
			}
			for _, c := range channels(t, tester) {
				if c.Receiving() != 2 {
					t.Errorf("a port receives by %d queues, want 2", c.Receiving())
				}
			}
			if l := tb.Links().NICs; len(l) != 2 || l[0].Device != "n3" || l[0].End != "tester" || l[0].Queues != 2 ||
				!strings.Contains(l[0].Why, "rx-flow-hash") || l[1].Why != "" {
				t.Errorf("recorded: %+v", l)
			}
			if killed {
				claim.Abandon()
				_, err = host.CleanStaleIn(dir)
				return err
			}
			return errors.Join(tb.Close(), claim.Close())
		})
		if after := channels(t, tester); err != nil || !slices.Equal(before, after) {
			t.Errorf("killed %v: %v: the ports had %v, and have %v", killed, err, before, after)
		}
	}
}

// TestSpreadThatCannotBe: who insists on a hash gets none of a veth, and the queues of before.
func TestSpreadThatCannotBe(t *testing.T) {
	tester, _, spec := handMade(t)
	spec.Queues, spec.Spread = 2, site.SpreadHash
	before, claim := channels(t, tester), claimOf(t, spec)
	err := tester.Do(func() error {
		_, err := Open(claim, spec, "n3", "n6")
		return err
	})
	if err == nil || !strings.Contains(err.Error(), "hash the TEID of GTP-U") {
		t.Error(err)
	}
	if after := channels(t, tester); !slices.Equal(before, after) {
		t.Errorf("the ports had %v, and have %v", before, after)
	}
}
