package forward

import (
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// meter is one direction of a QER's maximum bit rate.
type meter struct {
	plan.Rate
	next int64 // when the next packet conforms
}

// meterKey says whose a meter is.
type meterKey struct {
	seid uint64
	qer  uint32
	from session.Interface
}

// ahead is how far the meter is ahead of the clock; negative when it was idle, perhaps
// for days.
func (m *meter) ahead(at int64) int64 {
	d := m.next - at
	if d > 0 && uint64(d) > m.Depth+plan.MaxPacket*m.Cost {
		return -1
	}
	return d
}

// admit takes a packet from all meters of a row, or from none.
func (r *row) admit(octets int, now uint64) bool {
	at := int64(now << plan.TimeShift)
	for _, m := range r.meters {
		if ahead := m.ahead(at); ahead > 0 && uint64(ahead) > m.Depth {
			return false
		}
	}
	for _, m := range r.meters {
		if m.ahead(at) < 0 {
			m.next = at
		}
		m.next += int64(uint64(octets) * m.Cost)
	}
	return true
}

// metersOf finds a row's meters, or makes them: the PDRs of a session that name one
// QER share its rate, and it goes on where a session changes and its rate does not.
func (t *Table) metersOf(seid uint64, from session.Interface, qers []*session.QER) (list []*meter) {
	for _, q := range qers {
		k, rate := meterKey{seid, q.ID, from}, plan.RateOf(q, from)
		m := t.meters[k]
		if m == nil || m.Rate != rate {
			m = &meter{Rate: rate}
			t.meters[k] = m
		}
		list = append(list, m)
	}
	return list
}

// forgetMeters drops the meters of a session's QERs that it no longer has.
func (t *Table) forgetMeters(old, now *session.Rules) {
	if old == nil {
		return
	}
	for i := range old.QERs {
		id := old.QERs[i].ID
		if now != nil && now.FindQER(id) != nil {
			continue
		}
		delete(t.meters, meterKey{old.SEID, id, session.Access})
		delete(t.meters, meterKey{old.SEID, id, session.Core})
	}
}
