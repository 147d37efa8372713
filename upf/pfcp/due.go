package pfcp

import (
	"slices"
	"time"

	"github.com/upflab/upflab/upf/session"
)

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

// allDue looks at the rules' URRs; those that are linked to one that is reported are due
// with it (clause 5.2.2.4).
func (s *Server) allDue(one *pduSession, rules *session.Rules, now time.Time) (list []dueURR) {
	for i := range rules.URRs {
		d := dueURR{urr: &rules.URRs[i]}
		var err error
		if d.usage, err = s.can.Measurer.Usage(one.up, d.urr.ID); err != nil {
			s.log.Error("read the usage of a URR", "seid", seid(one.up), "ue", uesOf(rules), "urr", d.urr.ID, "err", err)
			continue
		}
		d.state = one.usage.of(d.urr.ID)
		d.why = d.state.due(&d.urr.Asked, d.usage, now)
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

// isLinked reports whether a URR is reported with one of those.
func isLinked(p *session.URRParameters, those func(id uint32) bool) bool {
	return p.Triggers&session.TriggerLinked != 0 && slices.ContainsFunc(p.Linked, those)
}
