// Package procedure carries requests out: those about sessions, by Sessions, and those about nodes, by Nodes, which also
// sets associations up, ends them, and asks CP functions whether they live.
package procedure

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/hold"
	"github.com/upflab/upflab/upf/n4/report"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// Sessions carries out what requests ask of sessions: on the rules, in the datapath, and in all that is kept of a session.
type Sessions struct {
	Can      datapath.Capabilities
	Datapath datapath.Datapath
	N4       netip.Addr
	// EndMarker is Config.EndMarker; nil: none are sent.
	EndMarker func(session.OuterHeader)
	Log       *slog.Logger
	*Answers

	Maker        *change.Maker
	Associations *association.Associations
	Sessions     *association.Sessions
	Held         *hold.Holding
	Meters       *report.Meters
	Reports      *report.Reports
	Kept         *association.Keeping
}

// change makes the changes on a copy of the session's rules and, when the
// datapath has taken them, keeps the copy. On an error nothing has changed. The
// session's lock is held.
func (s *Sessions) change(one *association.Session, c *request.Changes, now time.Time) (*change.Claims, error) {
	old, rules := one.Rules.Rules(), one.Rules.Rules()
	if rules == nil {
		rules = &session.Rules{SEID: one.Up}
	}
	t := s.Maker.Begin(one.Up, one.AddressesGiven())
	t.Final = usage.Finals{Type: ie.UsageReportWithinSessionModificationResponse, Old: old, States: one.Usage, At: now}
	states, filters := slices.Clone(one.Usage), int(one.Charged)
	if err := s.tryChange(one, old, rules, c, t, &states); err != nil {
		t.Rollback()
		s.Associations.Ownership.SettleFilters(one, filters)
		return nil, err
	}
	s.Associations.Ownership.SettleFilters(one, change.FiltersOf(rules))
	if c.ChangesKeys() {
		t.Settle(old, rules)
	}
	one.GiveAddresses(t.Lease.Given)
	s.Sessions.Remotes.Replace(old, rules, one.Up)
	one.Usage = states
	s.Sessions.SetRules(one, rules)
	if c.DropHeld {
		s.Held.Forget(one.Holds())
	}
	s.Held.Deliver(one.Holds(), rules)
	s.Reports.Plan(one, rules)
	return t, nil
}

func (s *Sessions) tryChange(one *association.Session, old, rules *session.Rules, c *request.Changes, t *change.Claims, states *usage.States) error {
	err := s.Maker.Make(old, rules, c, t, s.Associations.Applications(one.Association), s.Associations.Tunables().Limits.Rules)
	if err != nil {
		return err
	}
	if err := s.Associations.Ownership.ReserveFilters(one, change.FiltersOf(rules)); err != nil {
		return err
	}
	s.Meters.Prepare(rules, c, states, t.Final.At)
	// The datapath cannot refuse it for its keys, and has the URRs that count what is sent.
	if c.KeepsPackets() {
		if c.DropHeld { // before what it would be sent by
			s.Held.Forget(one.Holds())
		}
		s.Held.Deliver(one.Holds(), rules)
	}
	err = s.Datapath.Apply([]datapath.Change{{Old: old, New: rules, Final: t.Final.Take}})
	if err != nil && !errors.As(err, new(*session.RuleError)) {
		s.Log.Error("the datapath refused rules", "seid", association.LogSEID(rules.SEID), "ue", association.UEsOf(rules), "err", err)
	}
	return err
}

// logSession notes what became of a session, at debug: there may be thousands a second.
// rules are its own, or those that it had.
func (s *Sessions) logSession(what string, one *association.Session, rules *session.Rules) {
	if s.Log.Enabled(context.Background(), slog.LevelDebug) {
		s.Log.Debug(what, "seid", association.LogSEID(one.Up), "ue", association.UEsOf(rules), "node", one.Association.Node,
			"pdrs", len(rules.PDRs), "fars", len(rules.FARs), "qers", len(rules.QERs), "urrs", len(rules.URRs))
	}
}
