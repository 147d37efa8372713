package pfcp

import (
	"encoding/binary"
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"
)

// establishment is a Session Establishment Request (TS 29.244 clauses 6.3.2,
// 7.5.2).
type establishment struct {
	node    string
	cp      cpFSEID
	changes *changes
	sets    []string // FQ-CSIDs
}

// cpFSEID is a CP F-SEID, which has an address at least.
type cpFSEID struct {
	seid uint64
	families
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
	p.node, err = nodeIDOf(f)
	if err == nil {
		err = supportedPDN(f)
	}
	if err == nil {
		p.sets, err = setsOf(f)
	}
	if err == nil {
		p.changes, err = decodeChanges(f)
	}
	switch {
	case err != nil:
	case len(p.changes.createPDR) == 0:
		err = missing(ie.CreatePDR)
	case len(p.changes.createFAR) == 0:
		err = missing(ie.CreateFAR)
	}
	if err != nil {
		return nil, p.to(err)
	}
	return p, nil
}

// checkFSEID wants the addresses that the flags speak of, one at least.
func checkFSEID(b []byte) error {
	switch size := addressOctets(b[0]); {
	case size == 0:
		return incorrect(ie.FSEID, "it has no address")
	case len(b) < 9+size:
		return badLength(ie.FSEID)
	}
	return nil
}

// fseidOf reads an F-SEID (clause 8.2.37) that checkFSEID has taken.
func fseidOf(b []byte) cpFSEID {
	return cpFSEID{binary.BigEndian.Uint64(b[1:]), familiesOf(b[0], b[9:])}
}

// address is where reports go from an N4 of a family, an IPv4 address as IPv4-mapped; zero: nowhere.
func (f cpFSEID) address(six bool) (b [16]byte) {
	if a := f.of(six); a.IsValid() {
		b = a.As16()
	}
	return b
}

// to addresses a rejection to the CP function's session.
func (p *establishment) to(err error) error {
	r := rejectionOf(err)
	r.seid = p.cp.seid
	return r
}

// run makes the session, or leaves everything as it was.
func (s *carrier) establish(p establishment, from source) outcome {
	one, err := s.begin(p, from)
	if err != nil {
		return s.fail(from, p.to(err))
	}
	defer one.Unlock()
	t, err := s.change(one, p.changes, from.at)
	if err != nil {
		s.forget(one)
		return s.fail(from, p.to(err))
	}
	s.count(func(c *Counters) { c.Established++ })
	s.associations.ownership.confirm(one.association)
	s.kept.session(one)
	s.logSession("session established", one, t.rules)
	ies := append([]*ie.IE{s.fseid(one.up)}, t.allocated()...)
	return outcome{answer: s.accepted(from.Header, one.cp, ies...), keep: true, node: p.node}
}

// fseid is a session's UP F-SEID.
func (s *carrier) fseid(seid uint64) *ie.IE {
	if s.n4.Is6() {
		return ie.NewFSEID(seid, nil, s.n4.AsSlice())
	}
	return ie.NewFSEID(seid, s.n4.AsSlice(), nil)
}

// begin enters a session without rules, locked, when there is room for it.
func (s *carrier) begin(p establishment, from source) (*pduSession, error) {
	return s.associations.ownership.admit(p.node, from, p.cp.of(s.n4.Is6()), func(a *association) (*pduSession, error) {
		one := &pduSession{cp: p.cp.seid, cpAddress: p.cp.address(s.n4.Is6()), association: a}
		if len(p.sets) > 0 {
			one.extra().sets = p.sets
		}
		one.Lock()
		return one, s.sessions.enter(one)
	})
}

// forget takes a session out of the tables. Its lock is held.
func (s *carrier) forget(one *pduSession) {
	s.kept.forget(sessionKey(one.up))
	s.sessions.remove(one)
	s.associations.ownership.discharge(one)
}

func noResources(reason string) error {
	return &rejection{cause: ie.CauseNoResourcesAvailable, reason: reason}
}

// find returns the session that a message is about to its owner and to the other SMFs of that one's set, locked.
func (s *carrier) find(from source) (*pduSession, error) {
	one, stranger := s.sessions.find(from)
	if one != nil && !s.associations.mayAct(one.association, from.peer.Addr()) {
		one.Unlock()
		one, stranger = nil, true
	} else if stranger && s.associations.serves(s.sessions.associationOf(from.SEID), from.peer.Addr()) {
		one, stranger = s.sessions.locked(from.SEID), false
	}
	if stranger {
		s.count(func(c *Counters) { c.NotOwner++ })
	}
	if one == nil {
		return nil, sessionNotFound()
	}
	return one, nil
}

// admit enters a session into the association of its CP function, when there is room for it, and the address in its
// CP F-SEID, which may be invalid, may have one.
// enter makes the session.
func (l *ownership) admit(node string, from source, cp netip.Addr, enter func(*association) (*pduSession, error)) (*pduSession, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.owned(node, from)
	if err != nil {
		return nil, err
	}
	switch {
	case l.leaving:
		return nil, stopping()
	case !l.sources.fits(l.settings.Limits, a.peer.Addr(), 1, 0):
		return nil, noResources("limits.sessions is reached for this address")
	}
	if err := l.checkCP(a, cp); err != nil {
		return nil, err
	}
	one, err := enter(a)
	if err == nil {
		l.sources.enter(one)
	}
	return one, err
}

func noSessionsLeft() error {
	return noResources("limits.sessions or limits.filters is reached for this address")
}

// readmit enters a session that an earlier process kept.
func (l *ownership) readmit(one *pduSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources.enter(one)
}

// discharge is the opposite of charge. The session's lock is held.
func (l *ownership) discharge(one *pduSession) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources.leave(one)
}

// confirm notes that an association had a session.
func (l *ownership) confirm(a *association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.confirmed = true
}
