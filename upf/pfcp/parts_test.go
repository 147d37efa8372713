package pfcp

import (
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// These tests hold the parts of a Server by themselves; the others hold the whole.

func someSource(at string, seid uint64) source {
	return source{pfcp.Header{Type: pfcp.SessionModificationRequest, SEID: seid, HasSEID: true},
		netip.MustParseAddrPort(at), time.Unix(100, 0)}
}

// TestAssociationsCharge: an address is charged for its associations and sessions, and forgotten
// when it has none; a session that finds no room is not charged.
func TestAssociationsCharge(t *testing.T) {
	cfg := Config{Limits: Limits{Sessions: 1}}
	l := newAssociations(&cfg, &keeping{}, newTally(), slog.New(slog.DiscardHandler))
	table, from := newSessions(0, nil), someSource("192.0.2.1:8805", 0)
	if err := l.add(setup{node: "smf"}, from, false); err != nil {
		t.Fatal(err)
	}
	enter := func(a *association) (*pduSession, error) {
		one := &pduSession{association: a}
		return one, table.enter(one)
	}
	first, err := l.admit("smf", from, enter)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.admit("smf", from, enter); err == nil {
		t.Error("a second session is admitted beyond limits.sessions")
	}
	full := errors.New("full")
	l.settings.Limits.Sessions = 2
	if _, err := l.admit("smf", from, func(*association) (*pduSession, error) { return nil, full }); err != full {
		t.Error(err)
	}
	if got := *l.sources[from.peer.Addr()]; got != (charge{associations: 1, sessions: 1}) {
		t.Errorf("charged %+v, want one association with one session", got)
	}
	if _, err := l.admit("smf", someSource("192.0.2.9:8805", 0), enter); err == nil || l.total.NotOwner != 1 {
		t.Error("another address is admitted")
	}
	l.discharge(first)
	l.ended(l.of("smf"), nil)
	if len(l.sources)+len(l.nodes) != 0 {
		t.Errorf("%d addresses and %d associations are left", len(l.sources), len(l.nodes))
	}
}

// TestSessionsFind: a session is found by its owner alone, and not before it has rules.
func TestSessionsFind(t *testing.T) {
	l := newSessions(1, nil)
	one := &pduSession{association: &association{node: "smf", peer: netip.MustParseAddrPort("192.0.2.1:8805")}}
	if err := l.enter(one); err != nil {
		t.Fatal(err)
	}
	if err := l.enter(&pduSession{}); err == nil {
		t.Error("a session is entered beyond the limit")
	}
	if found, _ := l.find(someSource("192.0.2.1:1", one.up)); found != nil {
		t.Error("a session without rules is found")
	}
	l.setRules(one, &session.Rules{SEID: one.up})
	if found, stranger := l.find(someSource("192.0.2.2:1", one.up)); found != nil || !stranger {
		t.Error("a stranger finds the session")
	}
	l.setCP(one, 7, netip.MustParseAddr("192.0.2.2").As16())
	found, _ := l.find(someSource("192.0.2.2:1", one.up))
	if found != one {
		t.Fatal("the address of the CP F-SEID does not find its session")
	}
	l.remove(one)
	one.mu.Unlock()
	if found, _ := l.find(someSource("192.0.2.1:1", one.up)); found != nil || l.len() != 0 {
		t.Error("a session that was removed is found")
	}
}

// TestRequestsAreRepeated: a request is sent again N1 times, T1 apart, and then given up; an answer
// from elsewhere does not settle it. What follows may use the requests again.
func TestRequestsAreRepeated(t *testing.T) {
	l, h, now := newRequests(newTally()), Heartbeat{N1: 2}.withDefaults(), time.Unix(100, 0)
	sent, lost := 0, 0
	l.begin(func([]byte, netip.AddrPort) { sent++ })
	build := func(sequence uint32) []byte { return encode(pfcp.AssociationSetupRequest, 0, sequence) }
	l.ask(netip.MustParseAddrPort("192.0.2.1:0"), h, now, build, follow{lost: func(time.Time) { lost = 1 + len(l.due(h, now)) }})
	stranger := source{pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: 1}, netip.MustParseAddrPort("192.0.2.9:8805"), now}
	if l.settled(stranger, nil) {
		t.Error("a stranger's answer settles the request")
	}
	for range 5 {
		now = now.Add(h.T1)
		for _, one := range l.due(h, now) {
			if one.to != netip.MustParseAddrPort("192.0.2.1:8805") {
				t.Errorf("sent to %v", one.to)
			}
			sent++
		}
	}
	if sent != 3 || lost != 1 || len(l.waiting) != 0 {
		t.Errorf("sent %d times, given up %d times, %d wait; want 3, 1 and 0", sent, lost, len(l.waiting))
	}
}

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

// TestReportsOfAlarms: an alarm that finds no room is reported at the next tick.
func TestReportsOfAlarms(t *testing.T) {
	r := &reports{alarms: make(chan uint64, 1)}
	r.timers.began = time.Now()
	r.alarm(1, 0)
	r.alarm(2, 0)
	if got := r.timers.take(time.Now()); len(got) != 1 || got[0] != 2 || <-r.alarms != 1 {
		t.Errorf("timers have %v", got)
	}
}
