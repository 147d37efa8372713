package pfcp

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"
)

// modification is a Session Modification Request (TS 29.244 clauses 6.3.3,
// 7.5.4).
type modification struct {
	cpSEID  uint64 // a new one, 0 when it stays
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
		p.cpSEID = binary.BigEndian.Uint64(seid[1:])
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
	s.modified(one, p.cpSEID)
	s.keepSession(one)
	s.logSession("session modified", one, t.rules)
	if s.cfg.EndMarker != nil {
		for _, tunnel := range t.ended {
			s.cfg.EndMarker(tunnel)
		}
	}
	return outcome{answer: s.accepted(from.Header, one.cp, append(t.created(), reports...)...), keep: true, node: one.association.node}
}

func (s *Server) modified(one *pduSession, cpSEID uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if cpSEID != 0 {
		one.cp = cpSEID
	}
	s.counters.Modified++
}
