package forward

import (
	"net/netip"
	"slices"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

// TestPrepare: the ends of tunnels are prepared while workers forward, those that a session did not
// have before.
func TestPrepare(t *testing.T) {
	var shared *Shared
	var prepared []netip.Addr
	shared = Share(New(Config{
		N3Address: netip.MustParseAddr("192.0.2.1"), MaxSessions: 10, UEPools: []netip.Prefix{netip.MustParsePrefix("10.45.0.0/16")},
		Prepare: [Directions]func(netip.Addr){Downlink: func(a netip.Addr) {
			if !shared.mu.TryLock() {
				t.Error("workers wait")
				return
			}
			shared.Give()
			prepared = append(prepared, a)
		}},
	}))
	control := shared.Control()
	toward := func(gNB string, marking uint8) *session.Rules {
		return &session.Rules{SEID: 1,
			PDRs: []session.PDR{{ID: 2, FAR: 3, PDI: session.PDI{Source: session.Core, UE: netip.MustParseAddr("10.45.0.2")}}},
			FARs: []session.FAR{{ID: 3, Action: session.Forward, Destination: session.Access,
				Outer: &session.OuterHeader{TEID: 9, Peer: netip.MustParseAddr(gNB)}, Marking: marking}}}
	}
	first, marked, moved := toward("192.0.2.2", 0), toward("192.0.2.2", 0xb8), toward("192.0.2.3", 0)
	for _, c := range []datapath.Change{{New: first}, {Old: first, New: marked}, {Old: marked, New: moved}, {Old: moved}} {
		if err := control.Apply([]datapath.Change{c}); err != nil {
			t.Fatal(err)
		}
	}
	if want := []netip.Addr{netip.MustParseAddr("192.0.2.2"), netip.MustParseAddr("192.0.2.3")}; !slices.Equal(prepared, want) {
		t.Errorf("prepared %v, want %v", prepared, want)
	}
	if err := control.Apply([]datapath.Change{{New: datapathtest.Intermediate()},
		{New: datapathtest.Intermediate()}}); err == nil || len(prepared) != 2 {
		t.Errorf("prepared %v for rules that were refused: %v", prepared, err)
	}
}
