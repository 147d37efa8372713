package site

import (
	"errors"
	"fmt"
	"net/netip"
	"strings"
	"testing"
)

// handMade is what somebody has before `upflab run --dut external`: a namespace
// with ports of N3 and N6, and a UPF's ports behind them.
func handMade(t *testing.T) (tester, upf *Namespace, spec Spec) {
	t.Helper()
	rootOnly(t)
	run := NewRunID()
	for name, ns := range map[string]**Namespace{"tester": &tester, "upf": &upf} {
		made, err := newNamespace(namePrefix + run + "-" + name)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { made.close() })
		*ns = made
	}
	a := netip.MustParseAddr
	spec = Spec{Run: run,
		N3: LinkSpec{Tester: a("192.0.2.2"), UPF: a("192.0.2.1"), Prefix: 24},
		N6: LinkSpec{Tester: a("198.51.100.2"), UPF: a("198.51.100.1"), Prefix: 24}}
	for i, s := range []LinkSpec{spec.N3, spec.N6} {
		_, err := newLink(linkSpec{name: []string{"n3", "n6"}[i], tester: tester, upf: upf, id: byte(i + 1),
			testerIP: s.Tester, upfIP: s.UPF, prefix: s.Prefix, mtu: 1600, queues: 1})
		if err != nil {
			t.Fatal(err)
		}
	}
	return tester, upf, spec
}

func claimOf(t *testing.T, spec Spec) *Claim {
	t.Helper()
	claim, err := newClaim(t.TempDir(), spec.Run)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { claim.Close() })
	return claim
}

func TestAttach(t *testing.T) {
	tester, _, spec := handMade(t)
	claim := claimOf(t, spec)
	err := tester.Do(func() error {
		tb, err := Attach(claim, spec, "n3", "n6")
		if err != nil {
			return err
		}
		if tb.UPF != nil || tb.GNB.Name != "n3" || tb.DNN6.Name != "n6" {
			err = fmt.Errorf("attached to %s and %s", tb.GNB.Name, tb.DNN6.Name)
		}
		if got, want := tb.UPFN3.MAC.String()+" "+tb.UPFN6.MAC.String(), mac(1, 2).String()+" "+mac(2, 2).String(); got != want {
			err = fmt.Errorf("the UPF's ports are %s, want %s", got, want)
		}
		return errors.Join(err, tb.Close())
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := tester.nl.LinkByName("n3"); err != nil {
		t.Error("what was there before is gone: ", err)
	}
}

func TestAttachResolvesByARP(t *testing.T) {
	tester, _, spec := handMade(t)
	forget(t, tester)
	claim := claimOf(t, spec)
	err := tester.Do(func() error {
		tb, err := Attach(claim, spec, "n3", "n6")
		if err != nil {
			return err
		}
		if tb.UPFN3.MAC.String() != mac(1, 2).String() {
			err = fmt.Errorf("the UPF's N3 is %s", tb.UPFN3.MAC)
		}
		return errors.Join(err, tb.Close())
	})
	if err != nil {
		t.Error(err)
	}
}

// forget removes the permanent neighbours, which nobody makes by hand.
func forget(t *testing.T, ns *Namespace) {
	t.Helper()
	for _, name := range []string{"n3", "n6"} {
		link, err := ns.nl.LinkByName(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := ns.nl.NeighList(link.Attrs().Index, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range list {
			ns.nl.NeighDel(&n)
		}
	}
}

func TestAttachErrors(t *testing.T) {
	tester, upf, spec := handMade(t)
	forget(t, tester)
	claim := claimOf(t, spec)
	attach := func(n3 string) error {
		return tester.Do(func() error {
			_, err := Attach(claim, spec, n3, "n6")
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
	link, err := upf.nl.LinkByName("n3")
	if err != nil {
		t.Fatal(err)
	}
	if err := upf.nl.LinkSetDown(link); err != nil {
		t.Fatal(err)
	}
	expect(attach("n3"), "192.0.2.1", "ARP", "n3")
	if link, err = tester.nl.LinkByName("n3"); err == nil {
		err = tester.nl.LinkSetDown(link)
	}
	if err != nil {
		t.Fatal(err)
	}
	expect(attach("n3"), "n3 is down", "ip link set n3 up")
}
