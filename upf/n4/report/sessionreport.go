package report

import (
	"net/netip"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// sessionReport is a Session Report Request (TS 29.244 clause 7.5.8) on its way to one SMF after the other of a set,
// until one answers.
type sessionReport struct {
	one   *association.Session
	seid  uint64     // of the session's CP F-SEID when the report was due
	owner netip.Addr // the address in it
	ies   []*ie.IE
	tried []netip.Addr
}

// maxTries is how many SMFs a report goes to.
const maxTries = 1 + association.MaxOthers

// report sends a report to the SMF that has the session. The session's lock is held.
func (r *Reports) report(one *association.Session, now time.Time, kind byte, ies ...*ie.IE) {
	r.Count(func(c *tally.Counters) { c.Reports++ })
	ies = append([]*ie.IE{ie.New(ie.ReportType, []byte{kind})}, ies...)
	seid, at := r.Sessions.CPFSEID(one)
	owner, to, inSet := r.Associations.Ownership.Recipient(one, at)
	if !inSet {
		r.Ask(netip.AddrPortFrom(to, 0), now, func(sequence uint32) []byte { return pfcp.Encode(pfcp.SessionReportRequest, seid, sequence, ies...) }, ask.Follow{
			Answered: func(_ request.Source, ies []byte) { r.answered(one, ies) },
			Lost:     func(time.Time) { r.countLost() },
		})
		return
	}
	r.try(&sessionReport{one: one, seid: seid, owner: owner, ies: ies}, to, now)
}

// try sends a report to an SMF. To another one than the session's the SEID is 0, and Old CP F-SEID says which session
// it is (clauses 7.2.2.4.2 and 5.22, table 7.5.8.1-1).
func (r *Reports) try(p *sessionReport, to netip.Addr, now time.Time) {
	p.tried = append(p.tried, to)
	seid, ies := p.seid, p.ies
	if to != p.owner {
		seid, ies = 0, append(slices.Clip(ies), oldFSEID(seid, p.owner))
	}
	build := func(sequence uint32) []byte { return pfcp.Encode(pfcp.SessionReportRequest, seid, sequence, ies...) }
	r.Ask(netip.AddrPortFrom(to, 0), now, build, ask.Follow{
		Answered: func(from request.Source, ies []byte) { r.reported(p, from, ies) },
		Lost:     func(now time.Time) { r.tryNext(p, now) },
	})
}

func oldFSEID(seid uint64, at netip.Addr) *ie.IE {
	if at.Is4() {
		return ie.NewFSEID(seid, at.AsSlice(), nil)
	}
	return ie.NewFSEID(seid, nil, at.AsSlice())
}

// tryNext sends a report that was not taken to another SMF of the set, or gives it up.
func (r *Reports) tryNext(p *sessionReport, now time.Time) {
	for _, to := range r.Associations.Ownership.Alternatives(p.one) {
		if len(p.tried) < maxTries && !slices.Contains(p.tried, to) {
			r.try(p, to, now)
			return
		}
	}
	r.countLost()
}

// answered reads the answer of the only SMF that has the session.
func (r *Reports) answered(one *association.Session, ies []byte) {
	a, err := request.DecodeReportAnswer(ies)
	switch {
	case err != nil:
		r.Log.Warn("a Session Report Response does not parse, and changes nothing", "seid", association.LogSEID(one.Up), "err", err)
	case a.Cause == ie.CauseRequestAccepted && len(a.BARs) > 0:
		r.Later(func() { r.updateBARs(one, a.BARs) })
	}
}

// reported reads the answer of an SMF of a set: it may have a CP F-SEID of its own, from which on it has the session,
// or send the UPF to another one.
func (r *Reports) reported(p *sessionReport, from request.Source, ies []byte) {
	a, err := request.DecodeReportAnswer(ies)
	switch {
	case err == nil && a.Cause == ie.CauseRequestAccepted:
		r.Later(func() {
			r.updateBARs(p.one, a.BARs)
			if a.CP != nil {
				r.taken(p, *a.CP, from)
			}
		})
	case err == nil && a.Cause == ie.CauseRedirectionRequested:
		r.redirected(p, a.Others, from.At)
	default: // such as a context that is not found, after a restart
		r.tryNext(p, from.At)
	}
}

// updateBARs changes BARs of a session as the answer to a report asks (table 7.5.9.2-1): for what comes from then on.
func (r *Reports) updateBARs(one *association.Session, bars []request.BARChange) {
	if len(bars) == 0 || one.Begun() == nil {
		return
	}
	defer one.Unlock()
	old, rules := one.Rules.Rules(), one.Rules.Rules()
	for i := range bars {
		b := rules.FindBAR(bars[i].ID)
		if b == nil {
			r.Log.Warn("a Session Report Response updates a BAR that the session has not", "seid", association.LogSEID(one.Up), "bar", bars[i].ID)
			continue
		}
		change.ApplyBAR(&bars[i], b)
	}
	if err := r.Meters.Datapath.Apply([]datapath.Change{{Old: old, New: rules}}); err != nil {
		r.Log.Error("update BARs of a session", "seid", association.LogSEID(one.Up), "ue", association.UEsOf(rules), "err", err)
		return
	}
	r.Sessions.SetRules(one, rules)
	r.Kept.Session(one)
}

// redirected sends a report to the SMF of the set that the one asked before names (clause 5.22), or else to another one.
func (r *Reports) redirected(p *sessionReport, others []request.Families, now time.Time) {
	for _, o := range others {
		if to := o.Of(r.Six); r.Associations.SharesSet(p.one, to) && len(p.tried) < maxTries && !slices.Contains(p.tried, to) {
			r.try(p, to, now)
			return
		}
	}
	r.tryNext(p, now)
}

// taken gives the session to the SMF that answered a report with a CP F-SEID, unless it has another one meanwhile.
func (r *Reports) taken(p *sessionReport, cp request.CPFSEID, from request.Source) {
	one := p.one
	if one.Begun() == nil {
		return
	}
	defer one.Unlock()
	if seid, at := r.Sessions.CPFSEID(one); seid != p.seid || at.IsValid() && at != p.owner {
		return
	}
	at := cp.Of(r.Six)
	if !at.IsValid() || !r.Associations.MayAct(one.Association, at) {
		at = from.Peer.Addr()
	}
	r.Associations.Ownership.HandTo(one, from.Peer.Addr())
	r.Sessions.SetCP(one, cp.SEID, at.As16())
	r.Kept.Session(one)
}
