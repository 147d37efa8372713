package report

import (
	"log/slog"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// Meters read what the datapath counts for URRs, and give it the limits that follow from what the
// CP functions asked for and from what was reported. What is known of a session's URRs is in the
// session, whose lock is held.
type Meters struct {
	Measurer datapath.Measurer // nil: the datapath counts nothing
	Datapath datapath.Datapath
	Sessions *association.Sessions
	Log      *slog.Logger
}

// Counted is what a URR counted until now; 0 where that cannot be read: nothing else is lost then.
func (m *Meters) Counted(up uint64, urr session.URRKey) (u session.Usage) {
	if m.Measurer != nil {
		u, _ = m.Measurer.Usage(up, urr)
	}
	return u
}

// Prepare prepares the states of a session's URRs for changed rules, and sets the
// limits in these. The states are the caller's own.
func (m *Meters) Prepare(rules *session.Rules, c *request.Changes, states *usage.States, now time.Time) {
	*states = slices.DeleteFunc(*states, func(st usage.URRState) bool {
		return slices.Contains(c.RemoveURR, st.URR) || rules.FindURR(st.URR) == nil
	})
	for i := range rules.URRs {
		u := &rules.URRs[i]
		if u.ID == request.WatchURR && c.Inactivity != nil {
			states.Remove(request.WatchURR)
		}
		st := states.Of(u.ID)
		if !states.Has(u.ID) {
			st = usage.New(&u.Asked, now)
		} else {
			m.grant(rules.SEID, u.Key(), c.UpdateURR, &st, now)
		}
		u.Limits = st.Limits(&u.Asked)
		states.Put(u.ID, st)
	}
}

// grant begins the quotas of a URR that one of the changes gives anew.
func (m *Meters) grant(seid uint64, urr session.URRKey, changes []request.URRChange, st *usage.State, now time.Time) {
	for i := range changes {
		given := &changes[i]
		if given.ID != urr.ID() {
			continue
		}
		if given.Quota != nil && m.Measurer != nil {
			if u, err := m.Measurer.Usage(seid, urr); err == nil {
				st.Granted = u.Octets()
			}
		}
		st.Grant(given, now)
	}
}

// dueURR is a URR of a session, and why it is to be reported; 0 when it is not.
type dueURR struct {
	urr   *session.URR
	state usage.State
	usage session.Usage
	why   usage.Reason
}

// due looks at the rules' URRs; those that are linked to one that is reported are due
// with it (clause 5.2.2.4).
func (m *Meters) due(one *association.Session, rules *session.Rules, now time.Time) (list []dueURR) {
	for i := range rules.URRs {
		d := dueURR{urr: &rules.URRs[i]}
		var err error
		if d.usage, err = m.Measurer.Usage(one.Up, d.urr.Key()); err != nil {
			m.Log.Error("read the usage of a URR", "seid", association.LogSEID(one.Up), "ue", association.UEsOf(rules), "urr", d.urr.ID, "err", err)
			continue
		}
		d.state = one.Usage.Of(d.urr.ID)
		before := d.state.Splits()
		if d.why = d.state.Due(&d.urr.Asked, d.usage, now); d.state.Splits() > before {
			m.mark(one, d.urr, d.usage)
		}
		list = append(list, d)
	}
	reported := map[uint32]bool{}
	for i := range list {
		reported[list[i].urr.ID] = list[i].why != 0 && !list[i].why.IsBare()
	}
	for i := range list {
		if d := &list[i]; d.why == 0 && usage.IsLinked(&d.urr.Asked, func(id uint32) bool { return reported[id] }) {
			d.why = usage.BecauseLinked
		}
	}
	return list
}

// mark has the next packet be the first of the next report, where this one has a first packet.
func (m *Meters) mark(one *association.Session, u *session.URR, reported session.Usage) {
	if !reported.First.IsZero() {
		m.Measurer.Mark(one.Up, u.Key())
	}
}

// Queried reports the usage of URRs that the CP function asks for, or of all. The
// session's lock is held.
func (m *Meters) Queried(one *association.Session, c *request.Changes, now time.Time) (reports []*ie.IE) {
	if m.Measurer == nil || !c.QueryAll && len(c.QueryURR) == 0 {
		return nil
	}
	rules := one.Rules.Rules()
	for i := range rules.URRs {
		u := &rules.URRs[i]
		why := usage.BecauseAsked
		if u.ID == request.WatchURR {
			continue
		}
		if !c.Queries(u.ID) {
			if !usage.IsLinked(&u.Asked, c.Queries) {
				continue
			}
			why = usage.BecauseLinked
		}
		usage, err := m.Measurer.Usage(one.Up, u.Key())
		if err != nil {
			continue
		}
		st := one.Usage.Of(u.ID)
		st.Due(&u.Asked, usage, now) // what is due is in this report
		reports = append(reports, st.Reports(ie.UsageReportWithinSessionModificationResponse, u, usage, why, now, c.QueryReference)...)
		m.mark(one, u, usage)
		one.Usage.Put(u.ID, st)
	}
	if len(reports) > 0 {
		m.enforce(one, rules, false)
	}
	return reports
}

// enforce gives the datapath the limits that follow from what was reported. rules are those that the session has from now
// on, with the limits. all: also limits that are as before, which have the datapath raise its alarm again.
func (m *Meters) enforce(one *association.Session, rules *session.Rules, all bool) {
	defer m.Sessions.SetRules(one, rules)
	for i := range rules.URRs {
		u, st := &rules.URRs[i], one.Usage.Of(rules.URRs[i].ID)
		l := st.Limits(&u.Asked)
		if !all && l == u.Limits {
			continue
		}
		u.Limits = l
		if err := m.Measurer.SetLimits(one.Up, u.Key(), l); err != nil {
			m.Log.Error("limit a URR", "seid", association.LogSEID(one.Up), "ue", association.UEsOf(rules), "urr", u.ID, "err", err)
		}
	}
}
