package pfcp

import (
	"log/slog"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// meters read what the datapath counts for URRs, and give it the limits that follow from what the
// CP functions asked for and from what was reported. What is known of a session's URRs is in the
// session, whose lock is held.
type meters struct {
	measurer datapath.Measurer // nil: the datapath counts nothing
	datapath datapath.Datapath
	sessions *sessions
	log      *slog.Logger
}

// counted is what a URR counted until now; 0 where that cannot be read: nothing else is lost then.
func (m *meters) counted(up uint64, urr session.URRKey) (u session.Usage) {
	if m.measurer != nil {
		u, _ = m.measurer.Usage(up, urr)
	}
	return u
}

// prepare prepares the states of a session's URRs for changed rules, and sets the
// limits in these. The states are the caller's own.
func (m *meters) prepare(rules *session.Rules, c *changes, states *usageStates, now time.Time) {
	*states = slices.DeleteFunc(*states, func(st urrState) bool { return slices.Contains(c.removeURR, st.urr) || rules.FindURR(st.urr) == nil })
	for i := range rules.URRs {
		u := &rules.URRs[i]
		if u.ID == watchURR && c.inactivity != nil {
			states.remove(watchURR)
		}
		st := states.of(u.ID)
		if !states.has(u.ID) {
			st = newUsage(&u.Asked, now)
		} else {
			m.grant(rules.SEID, u.Key(), c.updateURR, &st, now)
		}
		u.Limits = st.limits(&u.Asked)
		states.put(u.ID, st)
	}
}

// grant begins the quotas of a URR that one of the changes gives anew.
func (m *meters) grant(seid uint64, urr session.URRKey, changes []urrChange, st *usageState, now time.Time) {
	for i := range changes {
		given := &changes[i]
		if given.id != urr.ID() {
			continue
		}
		if given.quota != nil && m.measurer != nil {
			if u, err := m.measurer.Usage(seid, urr); err == nil {
				st.granted = u.Octets()
			}
		}
		st.grant(given, now)
	}
}

// dueURR is a URR of a session, and why it is to be reported; 0 when it is not.
type dueURR struct {
	urr   *session.URR
	state usageState
	usage session.Usage
	why   reason
}

// due looks at the rules' URRs; those that are linked to one that is reported are due
// with it (clause 5.2.2.4).
func (m *meters) due(one *pduSession, rules *session.Rules, now time.Time) (list []dueURR) {
	for i := range rules.URRs {
		d := dueURR{urr: &rules.URRs[i]}
		var err error
		if d.usage, err = m.measurer.Usage(one.up, d.urr.Key()); err != nil {
			m.log.Error("read the usage of a URR", "seid", seid(one.up), "ue", uesOf(rules), "urr", d.urr.ID, "err", err)
			continue
		}
		d.state = one.usage.of(d.urr.ID)
		before := d.state.splits()
		if d.why = d.state.due(&d.urr.Asked, d.usage, now); d.state.splits() > before {
			m.mark(one, d.urr, d.usage)
		}
		list = append(list, d)
	}
	reported := map[uint32]bool{}
	for i := range list {
		reported[list[i].urr.ID] = list[i].why != 0 && !list[i].why.isBare()
	}
	for i := range list {
		if d := &list[i]; d.why == 0 && isLinked(&d.urr.Asked, func(id uint32) bool { return reported[id] }) {
			d.why = becauseLinked
		}
	}
	return list
}

// mark has the next packet be the first of the next report, where this one has a first packet.
func (m *meters) mark(one *pduSession, u *session.URR, reported session.Usage) {
	if !reported.First.IsZero() {
		m.measurer.Mark(one.up, u.Key())
	}
}

// queried reports the usage of URRs that the CP function asks for, or of all. The
// session's lock is held.
func (m *meters) queried(one *pduSession, c *changes, now time.Time) (reports []*ie.IE) {
	if m.measurer == nil || !c.queryAll && len(c.queryURR) == 0 {
		return nil
	}
	rules := one.rules.Rules()
	for i := range rules.URRs {
		u := &rules.URRs[i]
		why := becauseAsked
		if u.ID == watchURR {
			continue
		}
		if !c.queries(u.ID) {
			if !isLinked(&u.Asked, c.queries) {
				continue
			}
			why = becauseLinked
		}
		usage, err := m.measurer.Usage(one.up, u.Key())
		if err != nil {
			continue
		}
		st := one.usage.of(u.ID)
		st.due(&u.Asked, usage, now) // what is due is in this report
		reports = append(reports, st.reports(ie.UsageReportWithinSessionModificationResponse, u, usage, why, now, c.queryReference)...)
		m.mark(one, u, usage)
		one.usage.put(u.ID, st)
	}
	if len(reports) > 0 {
		m.enforce(one, rules, false)
	}
	return reports
}

// enforce gives the datapath the limits that follow from what was reported. rules are those that the session has from now
// on, with the limits. all: also limits that are as before, which have the datapath raise its alarm again.
func (m *meters) enforce(one *pduSession, rules *session.Rules, all bool) {
	defer m.sessions.setRules(one, rules)
	for i := range rules.URRs {
		u, st := &rules.URRs[i], one.usage.of(rules.URRs[i].ID)
		l := st.limits(&u.Asked)
		if !all && l == u.Limits {
			continue
		}
		u.Limits = l
		if err := m.measurer.SetLimits(one.up, u.Key(), l); err != nil {
			m.log.Error("limit a URR", "seid", seid(one.up), "ue", uesOf(rules), "urr", u.ID, "err", err)
		}
	}
}
