package pfcp

import (
	"github.com/wmnsk/go-pfcp/ie"
)

// modification is a Session Modification Request (TS 29.244 clauses 6.3.3,
// 7.5.4).
type modification struct {
	cp      *cpFSEID // a new one, nil when it stays
	changes *changes
}

func decodeModification(f fields) (procedure, error) {
	p := modification{}
	seid, _, err := f.may(ie.FSEID, 9)
	if err != nil {
		return nil, err
	}
	if len(seid) > 0 {
		if err := checkFSEID(seid); err != nil {
			return nil, err
		}
		cp := fseidOf(seid)
		p.cp = &cp
	}
	if p.changes, err = decodeChanges(f); err != nil {
		return p, err
	}
	flags, _, err := f.may(ie.PFCPSMReqFlags, 1)
	p.changes.queryAll = len(flags) > 0 && flags[0]&smReqQAURR != 0
	p.changes.dropHeld = len(flags) > 0 && flags[0]&smReqDROBU != 0
	return p, err
}

// run changes the session, or leaves everything as it was.
func (p modification) run(s *Server, from source) outcome {
	one, err := s.find(from)
	if err != nil {
		return s.fail(from, err)
	}
	defer one.mu.Unlock()
	t, err := s.change(one, p.changes, from.at)
	if err != nil {
		return s.fail(from, err)
	}
	reports := append(t.final.reports, s.queried(one, p.changes, from.at)...)
	s.modified(one, p.cp)
	s.keepSession(one)
	s.logSession("session modified", one, t.rules)
	if s.cfg.EndMarker != nil {
		for _, tunnel := range t.ended {
			s.cfg.EndMarker(tunnel)
		}
	}
	return outcome{answer: s.accepted(from.Header, one.cp, append(t.created(), reports...)...), keep: true, node: one.association.node}
}

// modified counts a modification. With a new CP F-SEID the session's reports go to the address
// in it, which owns the session as the first one did (TS 29.244 table 7.5.4.1-1).
func (s *Server) modified(one *pduSession, cp *cpFSEID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cp != nil {
		one.cp, one.cpAddress = cp.seid, cp.address
	}
	s.counters.Modified++
}
