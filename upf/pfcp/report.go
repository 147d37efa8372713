package pfcp

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/session"
)

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
	if st.base.First.IsZero() && !now.First.IsZero() {
		ies = append(ies, timeIE(ie.TimeOfFirstPacket, now.First))
	}
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

// measured are the IEs of what is measured.
func (st *usageState) measured(p *session.URRParameters, used session.Usage, at time.Time) (ies []*ie.IE) {
	if p.Volume {
		ies = append(ies, volumeIE(used, p.Packets))
	}
	if p.Duration {
		ies = append(ies, ie.NewUint32IE(ie.DurationMeasurement, uint32(st.measuredTime(at)/time.Second)))
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

// group is a grouped IE, encoded.
func group(typ uint16, ies ...*ie.IE) *ie.IE {
	var m pfcp.Builder
	m.Begin(pfcp.Header{})
	for _, i := range ies {
		m.IE(i.Type, i.Payload...)
	}
	const header = 8
	return ie.New(typ, m.Bytes()[header:])
}

// reportDue reports the usage of a session's URRs that is due, to its CP function, and
// plans the next time. The session's lock is held.
func (s *Server) reportDue(one *pduSession, now time.Time) {
	if s.can.Measurer == nil || one.rules.IsZero() {
		return
	}
	was, rules := inEffect(one.rules.Rules(), one.usage), one.rules.Rules()
	var reports []*ie.IE
	monitored := false
	for _, d := range s.allDue(one, rules, now) {
		u, st := d.urr, d.state
		monitored = monitored || len(st.before) != len(one.usage.of(u.ID).before)
		switch d.why {
		case 0:
		case becauseInactive:
			s.reportInactivity(one, now)
		default:
			reports = append(reports, st.reports(ie.UsageReportWithinSessionReportRequest, u, d.usage, d.why, now)...)
		}
		one.usage.put(u.ID, st)
	}
	s.enforce(one, rules, was, true)
	s.planReport(one, rules)
	if monitored || len(reports) > 0 {
		s.keepSession(one)
	}
	if len(reports) > 0 {
		s.sendReport(one, reports, now)
	}
}

// reportTypeUsage is USAR of a Report Type (clause 8.2.21).
const reportTypeUsage = 1 << 1

// sendReport sends a Session Report Request (clause 7.5.8).
func (s *Server) sendReport(one *pduSession, reports []*ie.IE, now time.Time) {
	cp, to := s.reportTo(one)
	s.report(to, now, func(sequence uint32) []byte {
		ies := append([]*ie.IE{ie.New(ie.ReportType, []byte{reportTypeUsage})}, reports...)
		return encode(pfcp.SessionReportRequest, cp, sequence, ies...)
	})
}

// reportTo is the CP function's SEID, and where reports of the session go.
func (s *Server) reportTo(one *pduSession) (cp uint64, to netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.Reports++
	if at := address4(one.cpAddress); at.IsValid() {
		return one.cp, at
	}
	return one.cp, one.association.peer.Addr()
}

// queried reports the usage of URRs that the CP function asks for, or of all. The
// session's lock is held.
func (s *Server) queried(one *pduSession, c *changes, now time.Time) (reports []*ie.IE) {
	m := s.can.Measurer
	if m == nil || !c.queryAll && len(c.queryURR) == 0 {
		return nil
	}
	was, rules := inEffect(one.rules.Rules(), one.usage), one.rules.Rules()
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
		usage, err := m.Usage(one.up, u.ID)
		if err != nil {
			continue
		}
		st := one.usage.of(u.ID)
		st.due(&u.Asked, usage, now) // what is due is in this report
		reports = append(reports, st.reports(ie.UsageReportWithinSessionModificationResponse, u, usage, why, now)...)
		one.usage.put(u.ID, st)
	}
	if len(reports) > 0 {
		s.enforce(one, rules, was, false)
	}
	return reports
}

// finals gathers the reports of URRs that go.
type finals struct {
	typ     uint16
	old     *session.Rules
	states  usageStates
	at      time.Time
	reports []*ie.IE
}

// take is a datapath.Change's Final.
func (f *finals) take(urr uint32, usage session.Usage) {
	old, st := f.old.FindURR(urr), f.states.of(urr)
	if old == nil || urr == watchURR {
		return
	}
	u := *old
	st.due(&u.Asked, usage, f.at)
	f.reports = append(f.reports, st.reports(f.typ, &u, usage, becauseEnd, f.at)...)
}
