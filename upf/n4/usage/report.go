package usage

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// IsBare reports whether a report says that something happened, and not how much was
// used (TS 29.244 table 7.5.8.3-1, Start Time).
func (r Reason) IsBare() bool { return r != 0 && r&^(becauseStart|becauseStop) == 0 }

// IsLinked reports whether a URR is reported with one of those.
func IsLinked(p *session.URRParameters, those func(id uint32) bool) bool {
	return p.Triggers&session.TriggerLinked != 0 && slices.ContainsFunc(p.Linked, those)
}

// report makes a Usage Report IE of the type that the message has (TS 29.244 tables
// 7.5.5.2-1, 7.5.7.2-1 and 7.5.8.3-1), and what follows counts from here on.
func (st *State) report(typ uint16, u *session.URR, now session.Usage, why Reason, at time.Time, more ...*ie.IE) *ie.IE {
	used := now.Since(st.base)
	ies := []*ie.IE{
		ie.NewURRID(u.ID), ie.NewUint32IE(ie.URSEQN, st.sequence),
		ie.New(ie.UsageReportTrigger, []byte{byte(why >> 16), byte(why >> 8), byte(why)}),
	}
	if !why.IsBare() {
		ies = append(ies, timeIE(ie.StartTime, st.since), timeIE(ie.EndTime, at))
		ies = append(ies, st.measured(&u.Asked, used, at)...)
	}
	ies = append(ies, st.packetTimes(used, at)...)
	if u.Asked.Event {
		ies = append(ies, eventsIE(why, now, at)...)
	}
	st.sequence++
	if !why.IsBare() {
		st.base, st.since = now, at
		st.volumeFrom, st.timeFrom, st.idle = now.Octets(), at, 0
	}
	return pfcp.Group(typ, append(ies, more...)...)
}

// packetTimes are when the first and the last packet came that a report is about; a last one of a version that did not
// note it is not known. A first one that came while the last report was made is not told from the report's time.
func (st *State) packetTimes(used session.Usage, at time.Time) (ies []*ie.IE) {
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
func (st *State) measured(p *session.URRParameters, used session.Usage, at time.Time) (ies []*ie.IE) {
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
func eventsIE(why Reason, now session.Usage, at time.Time) (ies []*ie.IE) {
	if why&becauseStart != 0 {
		ies = append(ies, timeIE(ie.EventTimeStamp, later(now.First, at.Add(-time.Second))))
	}
	if why&becauseStop != 0 {
		ies = append(ies, timeIE(ie.EventTimeStamp, at))
	}
	return ies
}

func timeIE(typ uint16, at time.Time) *ie.IE { return ie.NewUint32IE(typ, pfcp.Timestamp(at)) }
