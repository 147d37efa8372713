package pfcp

import (
	"encoding/binary"
	"log/slog"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
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
			st = usageState{since: now, timeFrom: now, quotaAt: now, givenAt: now}
			if u.Asked.ImmediateStart {
				st.began = now
			}
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
		if given.quota != nil {
			if m.measurer != nil {
				if u, err := m.measurer.Usage(seid, urr); err == nil {
					st.granted = u.Octets()
				}
			}
			st.volumeUp = false
		}
		if given.timeQuota != nil {
			st.quotaAt, st.timeUp = now, false
		}
		if given.quota != nil || given.timeQuota != nil || given.validity != nil || given.holding != nil {
			st.givenAt, st.ended = now, false
		}
	}
}

// dueURR is a URR of a session, and why it is to be reported; 0 when it is not.
type dueURR struct {
	urr   *session.URR
	state usageState
	usage session.Usage
	why   reason
}

// isBare reports whether a report says that something happened, and not how much was
// used (TS 29.244 table 7.5.8.3-1, Start Time).
func (r reason) isBare() bool { return r != 0 && r&^(becauseStart|becauseStop) == 0 }

// isLinked reports whether a URR is reported with one of those.
func isLinked(p *session.URRParameters, those func(id uint32) bool) bool {
	return p.Triggers&session.TriggerLinked != 0 && slices.ContainsFunc(p.Linked, those)
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
		before := len(d.state.before)
		if d.why = d.state.due(&d.urr.Asked, d.usage, now); len(d.state.before) > before {
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

// report makes a Usage Report IE of the type that the message has (TS 29.244 tables
// 7.5.5.2-1, 7.5.7.2-1 and 7.5.8.3-1), and what follows counts from here on.
func (st *usageState) report(typ uint16, u *session.URR, now session.Usage, why reason, at time.Time, more ...*ie.IE) *ie.IE {
	used := now.Since(st.base)
	ies := []*ie.IE{
		ie.NewURRID(u.ID), ie.NewUint32IE(ie.URSEQN, st.sequence),
		ie.New(ie.UsageReportTrigger, []byte{byte(why >> 16), byte(why >> 8), byte(why)}),
	}
	if !why.isBare() {
		ies = append(ies, timeIE(ie.StartTime, st.since), timeIE(ie.EndTime, at))
		ies = append(ies, st.measured(&u.Asked, used, at)...)
	}
	ies = append(ies, st.packetTimes(used, at)...)
	if u.Asked.Event {
		ies = append(ies, eventsIE(why, now, at)...)
	}
	st.sequence++
	if !why.isBare() {
		st.base, st.since = now, at
		st.volumeFrom, st.timeFrom, st.idle = now.Octets(), at, 0
	}
	return group(typ, append(ies, more...)...)
}

// packetTimes are when the first and the last packet came that a report is about; a last one of a version that did not
// note it is not known. A first one that came while the last report was made is not told from the report's time.
func (st *usageState) packetTimes(used session.Usage, at time.Time) (ies []*ie.IE) {
	if used.Uplink.Packets+used.Downlink.Packets == 0 {
		return nil
	}
	first := sooner(later(used.First, st.since), at)
	ies = append(ies, timeIE(ie.TimeOfFirstPacket, first))
	if !used.Last.IsZero() {
		ies = append(ies, timeIE(ie.TimeOfLastPacket, sooner(later(used.Last, first), at)))
	}
	return ies
}

// measured are the IEs of what is measured.
func (st *usageState) measured(p *session.URRParameters, used session.Usage, at time.Time) (ies []*ie.IE) {
	if p.Volume {
		ies = append(ies, volumeIE(used, p.Packets))
	}
	if p.Duration {
		measured := st.part + st.measuredTime(at)
		st.part = measured % time.Second
		ies = append(ies, ie.NewUint32IE(ie.DurationMeasurement, uint32(measured/time.Second)))
	}
	return ies
}

// volumeIE is a Volume Measurement (clause 8.2.44): total, uplink and downlink octets,
// and packets where they are asked for.
func volumeIE(u session.Usage, packets bool) *ie.IE {
	flags, list := byte(7), []uint64{u.Uplink.Octets + u.Downlink.Octets, u.Uplink.Octets, u.Downlink.Octets}
	if packets {
		flags, list = 0x3f, append(list, u.Uplink.Packets+u.Downlink.Packets, u.Uplink.Packets, u.Downlink.Packets)
	}
	b := []byte{flags}
	for _, v := range list {
		b = binary.BigEndian.AppendUint64(b, v)
	}
	return ie.New(ie.VolumeMeasurement, b)
}

// eventsIE are the Event Time Stamps of a report: of the traffic's start, and of its stop,
// which is noticed after 10 s without a packet.
func eventsIE(why reason, now session.Usage, at time.Time) (ies []*ie.IE) {
	if why&becauseStart != 0 {
		ies = append(ies, timeIE(ie.EventTimeStamp, later(now.First, at.Add(-time.Second))))
	}
	if why&becauseStop != 0 {
		ies = append(ies, timeIE(ie.EventTimeStamp, at))
	}
	return ies
}

func timeIE(typ uint16, at time.Time) *ie.IE { return ie.NewUint32IE(typ, pfcp.Timestamp(at)) }

// group is a grouped IE, encoded, without those that are nil.
func group(typ uint16, ies ...*ie.IE) *ie.IE {
	var m pfcp.Builder
	m.Begin(pfcp.Header{})
	for _, i := range ies {
		if i != nil {
			m.IE(i.Type, i.Payload...)
		}
	}
	const header = 8
	return ie.New(typ, m.Bytes()[header:])
}

// finals gathers the reports of URRs that go.
type finals struct {
	typ     uint16
	old     *session.Rules
	states  usageStates
	at      time.Time
	reports []*ie.IE
}

// generation is that of a URR that is created, which is another one than the URR that had its ID.
func (f *finals) generation(id uint32) uint32 {
	if f.old == nil {
		return 0
	}
	if had := f.old.FindURR(id); had != nil {
		return had.Generation + 1
	}
	return 0
}

// take is a datapath.Change's Final.
func (f *finals) take(urr session.URRKey, usage session.Usage) {
	old, st := f.old.FindURR(urr.ID()), f.states.of(urr.ID())
	if old == nil || old.ID == watchURR {
		return
	}
	u := *old
	st.due(&u.Asked, usage, f.at)
	f.reports = append(f.reports, st.reports(f.typ, &u, usage, becauseEnd, f.at)...)
}
