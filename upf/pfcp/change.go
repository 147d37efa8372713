package pfcp

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// change makes the changes on a copy of the session's rules and, when the
// datapath has taken them, keeps the copy. On an error nothing has changed. The
// session's lock is held.
func (s *Server) change(one *pduSession, c *changes, now time.Time) (*tunnels, error) {
	old, rules := one.rules.Rules(), one.rules.Rules()
	if rules == nil {
		rules = &session.Rules{SEID: one.up}
	}
	t := &tunnels{teids: s.teids, seid: one.up, n3: s.cfg.N3, n36: s.cfg.N36, of: one}
	t.lease = lease{addresses: s.addresses, seid: one.up, given: one.addressesGiven()}
	t.final = finals{typ: ie.UsageReportWithinSessionModificationResponse, old: old, states: one.usage, at: now}
	states := slices.Clone(one.usage)
	if err := s.tryChange(old, rules, c, t, &states); err != nil {
		t.rollback()
		return nil, err
	}
	if c.changesKeys() {
		t.settle(old, rules)
	}
	one.giveAddresses(t.lease.given)
	s.remotes.replace(old, rules, one.up)
	one.usage = states
	s.setRules(one, rules)
	if c.dropHeld {
		s.forgetHeld(one)
	}
	s.deliver(one, rules)
	s.planReport(one, rules)
	return t, nil
}

func (s *Server) tryChange(old, rules *session.Rules, c *changes, t *tunnels, states *usageStates) error {
	if err := c.apply(rules, t); err != nil {
		return err
	}
	if err := s.detect(rules, c, t.of.association); err != nil {
		return err
	}
	if err := s.limits().check(rules); err != nil {
		return err
	}
	if s.offers()&session.Buffer == 0 && s.cfg.Buffering != BufferRefuse {
		s.countBuffered(dropBuffered(rules))
	}
	if err := rules.Validate(s.offers()); err != nil {
		return err
	}
	if err := checkQuotaActions(rules, s.offers()); err != nil {
		return err
	}
	if err := s.checkCopies(rules); err != nil {
		return err
	}
	if err := c.checkReferences(rules); err != nil {
		return err
	}
	s.measure(rules, c, states, t.final.at)
	if len(c.createPDR)+len(c.updatePDR)+len(c.updateEndpoint) == 0 { // the datapath cannot refuse it for its keys
		if c.dropHeld { // before what it would be sent by
			s.forgetHeld(t.of)
		}
		s.deliver(t.of, rules)
	}
	err := s.cfg.Datapath.Apply([]datapath.Change{{Old: inEffect(old, t.of.usage), New: inEffect(rules, *states), Final: t.final.take}})
	if err != nil && !errors.As(err, new(*session.RuleError)) {
		s.log.Error("the datapath refused rules", "seid", seid(rules.SEID), "ue", uesOf(rules), "err", err)
	}
	return err
}

// check refuses rules that one session may not have so many of.
func (l Limits) check(r *session.Rules) error {
	for _, c := range []struct {
		what string
		n    int
	}{{"PDRs", len(r.PDRs)}, {"FARs", len(r.FARs)}, {"QERs", len(r.QERs)}, {"URRs", len(r.URRs)}, {"BARs", len(r.BARs)}, {"traffic endpoints", len(r.Endpoints)}} {
		if c.n > l.Rules {
			return noResources(fmt.Sprintf("the session would have %d %s, limits.rules is %d", c.n, c.what, l.Rules))
		}
	}
	for i := range r.PDRs {
		if p := &r.PDRs[i]; len(p.QERs) > maxReferences || len(p.URRs) > maxReferences {
			return ruleError(session.KindPDR, uint32(p.ID), "it names more than %d QERs or URRs", maxReferences)
		}
	}
	return nil
}

func (s *Server) countBuffered(n uint64) {
	if n == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.BufferDrop += n
}

// dropBuffered makes FARs that buffer drop, and counts them.
func dropBuffered(r *session.Rules) (n uint64) {
	for i := range r.FARs {
		if f := &r.FARs[i]; f.Action&^session.Notify == session.Buffer {
			f.Action = session.Drop
			n++
		}
	}
	return n
}
