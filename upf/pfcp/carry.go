package pfcp

import (
	"context"
	"errors"
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// carrier carries out what requests ask of sessions: on the rules, in the datapath, and in all that is kept of a session.
type carrier struct {
	can      datapath.Capabilities
	datapath datapath.Datapath
	n4       netip.Addr
	// endMarker is Config.EndMarker; nil: none are sent.
	endMarker func(session.OuterHeader)
	log       *slog.Logger
	*answering

	maker        *maker
	associations *associations
	sessions     *sessions
	held         *holding
	meters       *meters
	reports      *reports
	kept         *keeping
}

// change makes the changes on a copy of the session's rules and, when the
// datapath has taken them, keeps the copy. On an error nothing has changed. The
// session's lock is held.
func (s *carrier) change(one *pduSession, c *changes, now time.Time) (*tunnels, error) {
	old, rules := one.rules.Rules(), one.rules.Rules()
	if rules == nil {
		rules = &session.Rules{SEID: one.up}
	}
	t := s.maker.begin(one.up, one.addressesGiven())
	t.final = finals{typ: ie.UsageReportWithinSessionModificationResponse, old: old, states: one.usage, at: now}
	states, filters := slices.Clone(one.usage), int(one.charged)
	if err := s.tryChange(one, old, rules, c, t, &states); err != nil {
		t.rollback()
		s.associations.ownership.settleFilters(one, filters)
		return nil, err
	}
	s.associations.ownership.settleFilters(one, filtersOf(rules))
	if c.changesKeys() {
		t.settle(old, rules)
	}
	one.giveAddresses(t.lease.given)
	s.sessions.remotes.replace(old, rules, one.up)
	one.usage = states
	s.sessions.setRules(one, rules)
	if c.dropHeld {
		s.held.forget(one.holds())
	}
	s.held.deliver(one.holds(), rules)
	s.reports.plan(one, rules)
	return t, nil
}

func (s *carrier) tryChange(one *pduSession, old, rules *session.Rules, c *changes, t *tunnels, states *usageStates) error {
	err := s.maker.make(old, rules, c, t, s.associations.applications(one.association), s.associations.tunables().Limits.Rules)
	if err != nil {
		return err
	}
	if err := s.associations.ownership.reserveFilters(one, filtersOf(rules)); err != nil {
		return err
	}
	s.meters.prepare(rules, c, states, t.final.at)
	// The datapath cannot refuse it for its keys, and has the URRs that count what is sent.
	if c.keepsPackets() {
		if c.dropHeld { // before what it would be sent by
			s.held.forget(one.holds())
		}
		s.held.deliver(one.holds(), rules)
	}
	err = s.datapath.Apply([]datapath.Change{{Old: old, New: rules, Final: t.final.take}})
	if err != nil && !errors.As(err, new(*session.RuleError)) {
		s.log.Error("the datapath refused rules", "seid", seid(rules.SEID), "ue", uesOf(rules), "err", err)
	}
	return err
}

// logSession notes what became of a session, at debug: there may be thousands a second.
// rules are its own, or those that it had.
func (s *carrier) logSession(what string, one *pduSession, rules *session.Rules) {
	if s.log.Enabled(context.Background(), slog.LevelDebug) {
		s.log.Debug(what, "seid", seid(one.up), "ue", uesOf(rules), "node", one.association.node,
			"pdrs", len(rules.PDRs), "fars", len(rules.FARs), "qers", len(rules.QERs), "urrs", len(rules.URRs))
	}
}
