package pfcp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// TestHolding: packets wait in their order until the FAR forwards, and what is not sent is counted
// as lost.
func TestHolding(t *testing.T) {
	var sent []byte
	send := func(_ forward.Tunnel, tpdu []byte) { sent = append(sent, tpdu[20]) }
	l := newHolding(nil, false, send, newTally())
	peer := netip.MustParseAddr("192.0.2.1")
	rules := &session.Rules{SEID: 1,
		PDRs: []session.PDR{{ID: 2, FAR: 3, PDI: session.PDI{Source: session.Core, UE: netip.MustParseAddr("10.45.0.2")}}},
		FARs: []session.FAR{{ID: 3, Action: session.Buffer | session.Notify, Destination: session.Access,
			Outer: &session.OuterHeader{TEID: 9, Peer: peer}}}}
	var b buffer
	now, told := time.Now(), 0
	for n := range byte(heldPackets + 1) {
		p := datapath.Held{SEID: 1, PDR: 2, TPDU: []byte{0x45, 0, 0, 21, 0, 0, 0, 0, 64, 17, 0x6e, 0xa8, 1, 1, 1, 1, 10, 45, 0, 2}}
		p.TPDU = append(p.TPDU, n)
		if due := l.take(&b, p, rules, now); !due.IsZero() {
			told++
		}
	}
	if told != 1 || len(b.packets) != heldPackets || l.octets.Load() != heldPackets*21 || l.total.Buffered != heldPackets || l.total.BufferLost != 1 {
		t.Fatalf("%d packets and %d octets are held, counted %+v", len(b.packets), l.octets.Load(), l.total)
	}
	rules.FARs[0].Action = session.Forward
	l.deliver(&b, rules)
	if len(sent) != heldPackets || l.octets.Load() != 0 || l.total.BufferSent != heldPackets || len(b.flows) != 0 {
		t.Errorf("%d were sent, %d octets are held, counted %+v", len(sent), l.octets.Load(), l.total)
	}
}

// TestHoldingIsFull: a packet for which all sessions together have no room is lost, and takes none:
// there is room again when what is held was sent.
func TestHoldingIsFull(t *testing.T) {
	l := newHolding(nil, false, nil, newTally())
	rules := &session.Rules{SEID: 1,
		PDRs: []session.PDR{{ID: 2, FAR: 3, PDI: session.PDI{Source: session.Core, UE: netip.MustParseAddr("10.45.0.2")}}},
		FARs: []session.FAR{{ID: 3, Action: session.Buffer}}}
	var first, second buffer
	p := datapath.Held{SEID: 1, PDR: 2, TPDU: make([]byte, heldOctets/4)}
	for range 4 {
		l.take(&first, p, rules, time.Time{})
	}
	for range 5 {
		l.take(&second, p, rules, time.Time{})
	}
	if len(first.packets) != 4 || len(second.packets) != 0 || l.total.BufferLost != 5 {
		t.Fatalf("%d and %d packets are held, counted %+v", len(first.packets), len(second.packets), l.total)
	}
	l.forget(&first)
	if got := l.octets.Load(); got != 0 {
		t.Errorf("%d octets are held by no session", got)
	}
	if l.take(&second, p, rules, time.Time{}); len(second.packets) != 1 {
		t.Error("nothing is held any more")
	}
}
