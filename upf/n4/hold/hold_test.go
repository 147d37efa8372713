package hold

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/session"
)

// TestHolding: packets wait in their order until the FAR forwards, and what is not sent is counted
// as lost.
func TestHolding(t *testing.T) {
	var sent []byte
	send := func(_ forward.Tunnel, tpdu []byte) { sent = append(sent, tpdu[20]) }
	l := New(nil, false, send, tally.New())
	peer := netip.MustParseAddr("192.0.2.1")
	rules := &session.Rules{SEID: 1,
		PDRs: []session.PDR{{ID: 2, FAR: 3, PDI: session.PDI{Source: session.Core, UE: netip.MustParseAddr("10.45.0.2")}}},
		FARs: []session.FAR{{ID: 3, Action: session.Buffer | session.Notify, Destination: session.Access,
			Outer: &session.OuterHeader{TEID: 9, Peer: peer}}}}
	var b Buffer
	now, told := time.Now(), 0
	for n := range byte(heldPackets + 1) {
		p := datapath.Held{SEID: 1, PDR: 2, TPDU: []byte{0x45, 0, 0, 21, 0, 0, 0, 0, 64, 17, 0x6e, 0xa8, 1, 1, 1, 1, 10, 45, 0, 2}}
		p.TPDU = append(p.TPDU, n)
		if due := l.Take(&b, p, rules, now); !due.IsZero() {
			told++
		}
	}
	if told != 1 || len(b.Packets) != heldPackets || l.Octets.Load() != heldPackets*21 || l.Total.Buffered != heldPackets || l.Total.BufferLost != 1 {
		t.Fatalf("%d packets and %d octets are held, counted %+v", len(b.Packets), l.Octets.Load(), l.Total)
	}
	rules.FARs[0].Action = session.Forward
	l.Deliver(&b, rules)
	if len(sent) != heldPackets || l.Octets.Load() != 0 || l.Total.BufferSent != heldPackets || len(b.Flows) != 0 {
		t.Errorf("%d were sent, %d octets are held, counted %+v", len(sent), l.Octets.Load(), l.Total)
	}
}

// TestHoldingIsFull: a packet for which all sessions together have no room is lost, and takes none:
// there is room again when what is held was sent.
func TestHoldingIsFull(t *testing.T) {
	l := New(nil, false, nil, tally.New())
	rules := &session.Rules{SEID: 1,
		PDRs: []session.PDR{{ID: 2, FAR: 3, PDI: session.PDI{Source: session.Core, UE: netip.MustParseAddr("10.45.0.2")}}},
		FARs: []session.FAR{{ID: 3, Action: session.Buffer}}}
	var first, second Buffer
	p := datapath.Held{SEID: 1, PDR: 2, TPDU: make([]byte, heldOctets/4)}
	for range 4 {
		l.Take(&first, p, rules, time.Time{})
	}
	for range 5 {
		l.Take(&second, p, rules, time.Time{})
	}
	if len(first.Packets) != 4 || len(second.Packets) != 0 || l.Total.BufferLost != 5 {
		t.Fatalf("%d and %d packets are held, counted %+v", len(first.Packets), len(second.Packets), l.Total)
	}
	l.Forget(&first)
	if got := l.Octets.Load(); got != 0 {
		t.Errorf("%d octets are held by no session", got)
	}
	if l.Take(&second, p, rules, time.Time{}); len(second.Packets) != 1 {
		t.Error("nothing is held any more")
	}
}
