package pfcp

import (
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

func someSource(at string, seid uint64) source {
	return source{pfcp.Header{Type: pfcp.SessionModificationRequest, SEID: seid, HasSEID: true},
		netip.MustParseAddrPort(at), time.Unix(100, 0)}
}

// TestAssociationsCharge: an address is charged for its associations and sessions, and forgotten
// when it has none; a session that finds no room is not charged.
func TestAssociationsCharge(t *testing.T) {
	l := newAssociations(nil, false, 0, Tunables{Limits: Limits{Sessions: 1}}, &keeping{}, newTally(), slog.New(slog.DiscardHandler))
	table, from := newSessions(0, nil), someSource("192.0.2.1:8805", 0)
	if err := l.add(setup{node: "smf"}, from, false); err != nil {
		t.Fatal(err)
	}
	enter := func(a *association) (*pduSession, error) {
		one := &pduSession{association: a}
		return one, table.enter(one)
	}
	first, err := l.ownership.admit("smf", from, netip.Addr{}, enter)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.ownership.admit("smf", from, netip.Addr{}, enter); err == nil {
		t.Error("a second session is admitted beyond limits.sessions")
	}
	full := errors.New("full")
	l.settings.Limits.Sessions = 2
	if _, err := l.ownership.admit("smf", from, netip.Addr{}, func(*association) (*pduSession, error) { return nil, full }); err != full {
		t.Error(err)
	}
	if got := *l.sources[from.peer.Addr()]; got != (charge{associations: 1, sessions: 1}) {
		t.Errorf("charged %+v, want one association with one session", got)
	}
	if _, err := l.ownership.admit("smf", someSource("192.0.2.9:8805", 0), netip.Addr{}, enter); err == nil || l.total.NotOwner != 1 {
		t.Error("another address is admitted")
	}
	l.ownership.discharge(first)
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
	one.Unlock()
	if found, _ := l.find(someSource("192.0.2.1:1", one.up)); found != nil || l.len() != 0 {
		t.Error("a session that was removed is found")
	}
}
