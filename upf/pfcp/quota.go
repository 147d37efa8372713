package pfcp

import (
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// isUsedUp reports whether nothing is left of a quota.
func (st *usageState) isUsedUp(p *session.URRParameters) bool {
	return p.HasQuota() && (st.timeUp || st.ended || p.Quota != nil && (st.volumeUp || *p.Quota == session.Octets{}))
}

// inEffect are a session's rules as the datapath carries them out now: the packets of a quota
// that is used up go by the FAR that is given for that (FAR ID for Quota Action, TS 29.244
// table 7.5.2.4-1). nil are no rules.
func inEffect(r *session.Rules, states usageStates) *session.Rules {
	if r == nil {
		return nil
	}
	return withQuotaActions(r, func(u *session.URR) bool {
		st := states.of(u.ID)
		return st.isUsedUp(&u.Asked)
	})
}

// withQuotaActions are rules in which some quotas are used up.
func withQuotaActions(r *session.Rules, usedUp func(*session.URR) bool) *session.Rules {
	var fars map[uint32]uint32 // by URR
	for i := range r.URRs {
		if u := &r.URRs[i]; u.Asked.QuotaFAR != 0 && usedUp(u) {
			if fars == nil {
				fars = map[uint32]uint32{}
			}
			fars[u.ID] = u.Asked.QuotaFAR
		}
	}
	if len(fars) == 0 {
		return r
	}
	r = r.Clone()
	for i := range r.PDRs {
		p := &r.PDRs[i]
		for _, urr := range p.URRs {
			if far := fars[urr]; far != 0 {
				p.FAR = far
				break
			}
		}
	}
	return r
}

// checkQuotaActions wants the FARs of quotas to forward or drop, in ways that their PDRs can
// take.
func checkQuotaActions(r *session.Rules, offers session.Action) error {
	any := false
	for i := range r.URRs {
		u := &r.URRs[i]
		if u.Asked.QuotaFAR == 0 {
			continue
		}
		any = true
		far := r.FindFAR(u.Asked.QuotaFAR)
		switch {
		case far == nil:
			return ruleError(session.KindURR, u.ID, "its FAR %d for the quota action is not in the session", u.Asked.QuotaFAR)
		case far.Action&^session.Duplicate != session.Forward && far.Action != session.Drop:
			return ruleError(session.KindURR, u.ID, "its FAR %d for the quota action neither forwards nor drops", far.ID)
		}
	}
	if !any {
		return nil
	}
	return withQuotaActions(r, func(*session.URR) bool { return true }).Validate(offers)
}

// enforce gives the datapath what follows from what was reported: the limits of URRs, and the
// rules, where the FARs of quotas begin to hold. rules are those that the session has from now on, with the
// limits; was are the rules that were in effect. all: also limits that are as before, which have the datapath raise
// its alarm again.
func (s *Server) enforce(one *pduSession, rules, was *session.Rules, all bool) {
	defer s.setRules(one, rules)
	var changed []*session.URR
	for i := range rules.URRs {
		u, st := &rules.URRs[i], one.usage.of(rules.URRs[i].ID)
		if l := st.limits(&u.Asked); all || l != u.Limits {
			u.Limits = l
			changed = append(changed, u)
		}
	}
	if now := inEffect(rules, one.usage); !sameFARs(was, now) {
		err := s.cfg.Datapath.Apply([]datapath.Change{{Old: was, New: now}})
		if err == nil {
			return // it has the limits, too
		}
		s.log.Error("begin a quota action", "seid", seid(one.up), "ue", uesOf(rules), "err", err)
		for _, u := range changed {
			if st := one.usage.of(u.ID); u.Asked.QuotaFAR != 0 && st.isUsedUp(&u.Asked) {
				u.Limits.Closed = true
			}
		}
	}
	for _, u := range changed {
		if err := s.can.Measurer.SetLimits(one.up, u.ID, u.Limits); err != nil {
			s.log.Error("limit a URR", "seid", seid(one.up), "ue", uesOf(rules), "urr", u.ID, "err", err)
		}
	}
}

// sameFARs compares the FARs of the same PDRs.
func sameFARs(a, b *session.Rules) bool {
	for i := range a.PDRs {
		if a.PDRs[i].FAR != b.PDRs[i].FAR {
			return false
		}
	}
	return true
}
