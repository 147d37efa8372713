package lab

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/measure/behaviour"
	"github.com/upflab/upflab/internal/scenario"
)

// bare are ends on a testbed without a UPF: their ports are open.
func bare(t *testing.T, change func(*site.Spec)) (*ends, *behaviour.Net) {
	t.Helper()
	tb := sitetest.BuildWith(t, change)
	s, err := scenario.Defaults()
	if err != nil {
		t.Fatal(err)
	}
	e, net := &ends{site: tb}, plan(s, true, nil)
	t.Cleanup(func() {
		if err := e.close(); err != nil {
			t.Error(err)
		}
	})
	if err := e.listen(); err != nil {
		t.Fatal(err)
	}
	return e, &net
}

// TestProve: on each kind of link the tester's ends receive plain, redirected and XDP_TX frames, and
// what the UPF's kernel sends to every address that upflab chose. The UPF's side of it is an XDP
// program that sends frames back.
func TestProve(t *testing.T) {
	for _, kind := range []site.Kind{site.Veth, site.Bridge, site.Macvlan} {
		t.Run(string(kind), func(t *testing.T) {
			e, net := bare(t, func(s *site.Spec) { s.N3.Kind, s.N6.Kind = kind, kind })
			if err := e.site.Links().GNB.AddAddress(net.GNB[1]); err != nil {
				t.Fatal(err)
			}
			if err := e.site.Provide(site.Needs{Neighbours: neighbour(e.site.Links(), net.GNB[1])}); err != nil {
				t.Fatal(err)
			}
			if err := e.prove(net, netip.Addr{}); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestProveFindsADeafEnd: an end that has GRO alone does not receive XDP_TX, and says so.
func TestProveFindsADeafEnd(t *testing.T) {
	e, net := bare(t, func(*site.Spec) {})
	net.GNB[1] = net.GNB[0]
	if err := e.passNone(); err != nil {
		t.Fatal(err)
	}
	if err := e.prove(net, netip.Addr{}); err == nil || !strings.Contains(err.Error(), "XDP_TX") ||
		!strings.Contains(err.Error(), "nothing is held against the UPF") {
		t.Errorf("an end without an XDP program: %v", err)
	}
}

// TestProveFindsAnAddressThatIsNotReached: an address that no route or neighbour leads to is not
// used.
func TestProveFindsAnAddressThatIsNotReached(t *testing.T) {
	e, net := bare(t, func(*site.Spec) {})
	if err := e.prove(net, netip.Addr{}); err == nil || !strings.Contains(err.Error(), "to "+net.GNB[1].String()+" does not arrive") {
		t.Errorf("a gNB without a neighbour entry: %v", err)
	}
}

// TestSinkThatCannotListen: an address that the tester does not have is an error of the bench; a port
// that somebody has is none.
func TestSinkThatCannotListen(t *testing.T) {
	e, _ := bare(t, func(*site.Spec) {})
	ns := e.site.Links().GNB.NS
	if err := e.sinkAt(ns, netip.MustParseAddrPort("203.0.113.9:2152")); err == nil ||
		!strings.Contains(err.Error(), "nothing is held against the UPF") {
		t.Errorf("an address that nobody has: %v", err)
	}
	at := netip.AddrPortFrom(netip.IPv4Unspecified(), 2152)
	for range 2 {
		if err := e.sinkAt(ns, at); err != nil {
			t.Error(err)
		}
	}
	if len(e.sinks) != 1 {
		t.Errorf("%d sockets at one port", len(e.sinks))
	}
}
