package association

import (
	"errors"
	"log/slog"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/session"
)

func someSource(at string, seid uint64) request.Source {
	return request.Source{Header: pfcp.Header{Type: pfcp.SessionModificationRequest, SEID: seid, HasSEID: true},
		Peer: netip.MustParseAddrPort(at), At: time.Unix(100, 0)}
}

// TestAssociationsCharge: an address is charged for its associations and sessions, and forgotten
// when it has none; a session that finds no room is not charged.
func TestAssociationsCharge(t *testing.T) {
	l := New(nil, false, 0, Tunables{Limits: Limits{Sessions: 1}}, &Keeping{}, tally.New(), slog.New(slog.DiscardHandler))
	table, from := NewSessions(0, nil), someSource("192.0.2.1:8805", 0)
	if err := l.Add(request.Setup{Node: "smf"}, from, false); err != nil {
		t.Fatal(err)
	}
	enter := func(a *Association) (*Session, error) {
		one := &Session{Association: a}
		return one, table.Enter(one)
	}
	first, err := l.Ownership.Admit("smf", from, netip.Addr{}, enter)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Ownership.Admit("smf", from, netip.Addr{}, enter); err == nil {
		t.Error("a second session is admitted beyond limits.sessions")
	}
	full := errors.New("full")
	l.Settings.Limits.Sessions = 2
	if _, err := l.Ownership.Admit("smf", from, netip.Addr{}, func(*Association) (*Session, error) { return nil, full }); err != full {
		t.Error(err)
	}
	if got := *l.Sources[from.Peer.Addr()]; got != (Charge{Associations: 1, Sessions: 1}) {
		t.Errorf("charged %+v, want one association with one session", got)
	}
	if _, err := l.Ownership.Admit("smf", someSource("192.0.2.9:8805", 0), netip.Addr{}, enter); err == nil || l.Total.NotOwner != 1 {
		t.Error("another address is admitted")
	}
	l.Ownership.Discharge(first)
	l.Ended(l.Of("smf"), nil)
	if len(l.Sources)+len(l.Nodes) != 0 {
		t.Errorf("%d addresses and %d associations are left", len(l.Sources), len(l.Nodes))
	}
}

// TestSessionsFind: a session is found by its owner alone, and not before it has rules.
func TestSessionsFind(t *testing.T) {
	l := NewSessions(1, nil)
	one := &Session{Association: &Association{Node: "smf", Peer: netip.MustParseAddrPort("192.0.2.1:8805")}}
	if err := l.Enter(one); err != nil {
		t.Fatal(err)
	}
	if err := l.Enter(&Session{}); err == nil {
		t.Error("a session is entered beyond the limit")
	}
	if found, _ := l.Find(someSource("192.0.2.1:1", one.Up)); found != nil {
		t.Error("a session without rules is found")
	}
	l.SetRules(one, &session.Rules{SEID: one.Up})
	if found, stranger := l.Find(someSource("192.0.2.2:1", one.Up)); found != nil || !stranger {
		t.Error("a stranger finds the session")
	}
	l.SetCP(one, 7, netip.MustParseAddr("192.0.2.2").As16())
	found, _ := l.Find(someSource("192.0.2.2:1", one.Up))
	if found != one {
		t.Fatal("the address of the CP F-SEID does not find its session")
	}
	l.Remove(one)
	one.Unlock()
	if found, _ := l.Find(someSource("192.0.2.1:1", one.Up)); found != nil || l.Len() != 0 {
		t.Error("a session that was removed is found")
	}
}
