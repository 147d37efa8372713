package pfcp

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
)

// sessionReport is a Session Report Request (TS 29.244 clause 7.5.8) on its way to one SMF after the other of a set,
// until one answers.
type sessionReport struct {
	one   *pduSession
	seid  uint64     // of the session's CP F-SEID when the report was due
	owner netip.Addr // the address in it
	ies   []*ie.IE
	tried []netip.Addr
}

// maxTries is how many SMFs a report goes to.
const maxTries = 1 + maxOthers

// report sends a report to the SMF that has the session. The session's lock is held.
func (r *reports) report(one *pduSession, now time.Time, kind byte, ies ...*ie.IE) {
	r.count(func(c *Counters) { c.Reports++ })
	ies = append([]*ie.IE{ie.New(ie.ReportType, []byte{kind})}, ies...)
	seid, at := r.sessions.cpFSEID(one)
	owner, to, inSet := r.associations.ownership.recipient(one, at)
	if !inSet {
		r.ask(netip.AddrPortFrom(to, 0), now, func(sequence uint32) []byte { return pfcp.Encode(pfcp.SessionReportRequest, seid, sequence, ies...) }, follow{
			answered: func(_ source, ies []byte) { r.answered(one, ies) },
			lost:     func(time.Time) { r.countLost() },
		})
		return
	}
	r.try(&sessionReport{one: one, seid: seid, owner: owner, ies: ies}, to, now)
}

// try sends a report to an SMF. To another one than the session's the SEID is 0, and Old CP F-SEID says which session
// it is (clauses 7.2.2.4.2 and 5.22, table 7.5.8.1-1).
func (r *reports) try(p *sessionReport, to netip.Addr, now time.Time) {
	p.tried = append(p.tried, to)
	seid, ies := p.seid, p.ies
	if to != p.owner {
		seid, ies = 0, append(slices.Clip(ies), oldFSEID(seid, p.owner))
	}
	build := func(sequence uint32) []byte { return pfcp.Encode(pfcp.SessionReportRequest, seid, sequence, ies...) }
	r.ask(netip.AddrPortFrom(to, 0), now, build, follow{
		answered: func(from source, ies []byte) { r.reported(p, from, ies) },
		lost:     func(now time.Time) { r.tryNext(p, now) },
	})
}

func oldFSEID(seid uint64, at netip.Addr) *ie.IE {
	if at.Is4() {
		return ie.NewFSEID(seid, at.AsSlice(), nil)
	}
	return ie.NewFSEID(seid, nil, at.AsSlice())
}

// tryNext sends a report that was not taken to another SMF of the set, or gives it up.
func (r *reports) tryNext(p *sessionReport, now time.Time) {
	for _, to := range r.associations.ownership.alternatives(p.one) {
		if len(p.tried) < maxTries && !slices.Contains(p.tried, to) {
			r.try(p, to, now)
			return
		}
	}
	r.countLost()
}

// recipient is the owner of a session's CP F-SEID, by its address where that is valid, and who gets its reports: the
// same, or another SMF of the set when that one is silent.
func (l *ownership) recipient(one *pduSession, at netip.Addr) (owner, to netip.Addr, inSet bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := one.association
	if !at.IsValid() {
		at = a.peer.Addr()
	}
	if slices.Contains(a.silent, at) {
		return at, a.contact(), true
	}
	return at, at, a.features != 0
}

// alternatives are where a report goes that the session's SMF does not answer: other addresses of its association and
// the other associations of its set, but silent ones.
func (l *ownership) alternatives(one *pduSession) (list []netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := one.association
	list = append(append(list, a.others...), a.peer.Addr())
	for _, m := range l.members(a) {
		list = append(list, m.contact())
	}
	return slices.DeleteFunc(list, func(at netip.Addr) bool { return !at.IsValid() || slices.Contains(a.silent, at) })
}

// reportAnswer is a Session Report Response (table 7.5.9.1-1).
type reportAnswer struct {
	cause  uint8
	cp     *cpFSEID    // nil: none
	others []families  // the SMFs to ask instead
	bars   []barChange // to the session
}

func decodeReportAnswer(ies []byte) (a reportAnswer, err error) {
	err = pfcp.Decode(ies, func(list []*ie.IE) (err error) {
		f := fields(list)
		if a.cause, err = answerCause(f); err != nil {
			return err
		}
		if i := f.find(ie.FSEID); i != nil && len(i.Payload) >= 9 && checkFSEID(i.Payload) == nil {
			read := fseidOf(i.Payload)
			a.cp = &read
		}
		for _, i := range f {
			if i.Type != ie.UpdateBARWithinSessionReportResponse {
				continue
			}
			if a.bars, err = with(a.bars, fields(i.ChildIEs), decodeBAR); err != nil {
				return err
			}
		}
		a.others, err = decodeOthers(f)
		return err
	})
	return a, err
}

// answered reads the answer of the only SMF that has the session.
func (r *reports) answered(one *pduSession, ies []byte) {
	a, err := decodeReportAnswer(ies)
	switch {
	case err != nil:
		r.log.Warn("a Session Report Response does not parse, and changes nothing", "seid", seid(one.up), "err", err)
	case a.cause == ie.CauseRequestAccepted && len(a.bars) > 0:
		r.later(func() { r.updateBARs(one, a.bars) })
	}
}

// reported reads the answer of an SMF of a set: it may have a CP F-SEID of its own, from which on it has the session,
// or send the UPF to another one.
func (r *reports) reported(p *sessionReport, from source, ies []byte) {
	a, err := decodeReportAnswer(ies)
	switch {
	case err == nil && a.cause == ie.CauseRequestAccepted:
		r.later(func() {
			r.updateBARs(p.one, a.bars)
			if a.cp != nil {
				r.taken(p, *a.cp, from)
			}
		})
	case err == nil && a.cause == ie.CauseRedirectionRequested:
		r.redirected(p, a.others, from.at)
	default: // such as a context that is not found, after a restart
		r.tryNext(p, from.at)
	}
}

// updateBARs changes BARs of a session as the answer to a report asks (table 7.5.9.2-1): for what comes from then on.
func (r *reports) updateBARs(one *pduSession, bars []barChange) {
	if len(bars) == 0 || one.begun() == nil {
		return
	}
	defer one.Unlock()
	old, rules := one.rules.Rules(), one.rules.Rules()
	for i := range bars {
		b := rules.FindBAR(bars[i].id)
		if b == nil {
			r.log.Warn("a Session Report Response updates a BAR that the session has not", "seid", seid(one.up), "bar", bars[i].id)
			continue
		}
		applyBAR(&bars[i], b)
	}
	if err := r.meters.datapath.Apply([]datapath.Change{{Old: old, New: rules}}); err != nil {
		r.log.Error("update BARs of a session", "seid", seid(one.up), "ue", uesOf(rules), "err", err)
		return
	}
	r.sessions.setRules(one, rules)
	r.kept.session(one)
}

// redirected sends a report to the SMF of the set that the one asked before names (clause 5.22), or else to another one.
func (r *reports) redirected(p *sessionReport, others []families, now time.Time) {
	for _, o := range others {
		if to := o.of(r.six); r.associations.sharesSet(p.one, to) && len(p.tried) < maxTries && !slices.Contains(p.tried, to) {
			r.try(p, to, now)
			return
		}
	}
	r.tryNext(p, now)
}

// taken gives the session to the SMF that answered a report with a CP F-SEID, unless it has another one meanwhile.
func (r *reports) taken(p *sessionReport, cp cpFSEID, from source) {
	one := p.one
	if one.begun() == nil {
		return
	}
	defer one.Unlock()
	if seid, at := r.sessions.cpFSEID(one); seid != p.seid || at.IsValid() && at != p.owner {
		return
	}
	at := cp.of(r.six)
	if !at.IsValid() || !r.associations.mayAct(one.association, at) {
		at = from.peer.Addr()
	}
	r.associations.ownership.handTo(one, from.peer.Addr())
	r.sessions.setCP(one, cp.seid, at.As16())
	r.kept.session(one)
}

// handTo makes the session that of the set's association at the address, where there is another one. The session's lock
// is held.
func (l *ownership) handTo(one *pduSession, at netip.Addr) {
	l.mu.Lock()
	a := one.association
	to := a
	if !a.owns(at) && !slices.Contains(a.others, at) {
		to = cmp.Or(l.member(a, at), a)
	}
	l.mu.Unlock()
	l.hand(one, to)
}
