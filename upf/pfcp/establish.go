package pfcp

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// establishment is a Session Establishment Request (TS 29.244 clauses 6.3.2,
// 7.5.2).
type establishment struct {
	node    string
	cp      cpFSEID
	changes *changes
	sets    []string // FQ-CSIDs
}

// cpFSEID is a CP F-SEID.
type cpFSEID struct {
	seid    uint64
	address [4]byte // IPv4; zero when it has none
}

func decodeEstablishment(f fields) (procedure, error) {
	p := establishment{}
	seid, err := f.must(ie.FSEID, 9)
	if err == nil {
		err = checkFSEID(seid)
	}
	if err != nil {
		return nil, err
	}
	p.cp = fseidOf(seid)
	if p.node, err = nodeIDOf(f); err != nil {
		return nil, p.to(err)
	}
	if err := p.decodeRules(f); err != nil {
		return nil, p.to(err)
	}
	return p, nil
}

func (p *establishment) decodeRules(f fields) (err error) {
	if err := supportedPDN(f); err != nil {
		return err
	}
	if p.sets, err = decodeSets(f); err != nil {
		return err
	}
	if p.changes, err = decodeChanges(f); err != nil {
		return err
	}
	switch {
	case len(p.changes.createPDR) == 0:
		return missing(ie.CreatePDR)
	case len(p.changes.createFAR) == 0:
		return missing(ie.CreateFAR)
	}
	return nil
}

// Flags of an F-SEID (clause 8.2.37).
const (
	fseidIPv6 = 1 << 0
	fseidIPv4 = 1 << 1
)

// checkFSEID wants the addresses that the flags speak of, one at least.
func checkFSEID(b []byte) error {
	size := 9
	if b[0]&fseidIPv4 != 0 {
		size += 4
	}
	if b[0]&fseidIPv6 != 0 {
		size += 16
	}
	switch {
	case size == 9:
		return incorrect(ie.FSEID, "it has no address")
	case len(b) < size:
		return badLength(ie.FSEID)
	}
	return nil
}

// fseidOf reads an F-SEID (clause 8.2.37) that checkFSEID has taken.
func fseidOf(b []byte) cpFSEID {
	f := cpFSEID{seid: binary.BigEndian.Uint64(b[1:])}
	if b[0]&fseidIPv4 != 0 {
		f.address = [4]byte(b[9:13])
	}
	return f
}

// PDN Types (clause 8.2.79) that carry IP.
const (
	pdnIPv4   = 1
	pdnIPv6   = 2
	pdnIPv4v6 = 3
)

func supportedPDN(f fields) error {
	b, _, err := f.may(ie.PDNType, 1)
	if err != nil {
		return err
	}
	if len(b) == 0 {
		return nil
	}
	switch b[0] & 7 {
	case pdnIPv4, pdnIPv6, pdnIPv4v6:
		return nil
	}
	return &rejection{cause: ie.CauseServiceNotSupported, offending: ie.PDNType, reason: "only IP sessions are supported"}
}

// to addresses a rejection to the CP function's session.
func (p *establishment) to(err error) error {
	r := rejectionOf(err)
	r.seid = p.cp.seid
	return r
}

// run makes the session, or leaves everything as it was.
func (p establishment) run(s *Server, from source) outcome {
	one, err := s.begin(p, from)
	if err != nil {
		return s.fail(from, p.to(err))
	}
	defer one.mu.Unlock()
	t, err := s.change(one, p.changes, from.at)
	if err != nil {
		s.forget(one)
		return s.fail(from, p.to(err))
	}
	s.mu.Lock()
	s.counters.Established++
	one.association.confirmed = true
	s.mu.Unlock()
	s.keepSession(one)
	s.logSession("session established", one, t.rules)
	ies := append([]*ie.IE{ie.NewFSEID(one.up, s.cfg.N4.AsSlice(), nil)}, t.created()...)
	return outcome{answer: s.accepted(from.Header, one.cp, ies...), keep: true, node: p.node}
}

// begin enters a session without rules, locked, when there is room for it.
func (s *Server) begin(p establishment, from source) (*pduSession, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	a, err := s.owned(p.node, from)
	if err != nil {
		return nil, err
	}
	use := s.usageOf(a.peer.Addr())
	switch {
	case s.leaving:
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: "the UPF is about to stop"}
	case s.cfg.MaxSessions > 0 && len(s.sessions) >= s.cfg.MaxSessions:
		return nil, noResources("max_sessions is reached")
	case s.cfg.Limits.Sessions > 0 && use.sessions >= s.cfg.Limits.Sessions:
		return nil, noResources("limits.sessions is reached for this address")
	}
	one := &pduSession{up: s.newSEID(), cp: p.cp.seid, cpAddress: p.cp.address, association: a}
	if len(p.sets) > 0 {
		one.extra().sets = p.sets
	}
	one.mu.Lock()
	s.sessions[one.up] = one
	a.sessions.add(one)
	use.sessions++
	return one, nil
}

// forget takes a session out of the tables. Its lock is held.
func (s *Server) forget(one *pduSession) {
	s.mu.Lock()
	defer s.mu.Unlock()
	one.rules = session.Packed{}
	s.forgetKept(sessionKey(one.up))
	delete(s.sessions, one.up)
	one.association.sessions.remove(one)
	s.usageOf(one.association.peer.Addr()).sessions--
	s.forgetUnused(one.association.peer.Addr())
}

func noResources(reason string) error {
	return &rejection{cause: ie.CauseNoResourcesAvailable, reason: reason}
}

// newSEID finds a SEID that no session has. It is random, so that one from
// before a restart is not taken for one from after it, and cannot be guessed.
func (s *Server) newSEID() uint64 {
	for {
		if seid := s.random(); seid != 0 && s.sessions[seid] == nil {
			return seid
		}
	}
}
