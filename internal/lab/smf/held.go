package smf

import (
	"net/netip"
	"sync"
)

// held notes what the sessions of the association hold: SEIDs and F-TEIDs. It may be used from several
// goroutines.
type held struct {
	mu     sync.Mutex
	up     map[uint64]holding // by CP SEID
	byUP   map[uint64]uint64  // CP SEIDs by UP SEID
	fteids map[tunnel]uint64  // CP SEIDs by F-TEID
}

// tunnel is an F-TEID.
type tunnel struct {
	teid uint32
	addr netip.Addr
}

// holding is what one session holds.
type holding struct {
	upSEID uint64
	fteid  tunnel
}

func newHeld() held {
	return held{up: map[uint64]holding{}, byUP: map[uint64]uint64{}, fteids: map[tunnel]uint64{}}
}

// add notes a session, and returns the CP SEIDs of other sessions that have its
// UP SEID and its F-TEID; 0 when none has.
func (s *held) add(e *Established) (sameUPSEID, sameFTEID uint64) {
	t := tunnel{e.UplinkTEID, e.N3}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.up[e.CPSEID] = holding{e.UPSEID, t}
	if sameUPSEID = s.byUP[e.UPSEID]; sameUPSEID == 0 {
		s.byUP[e.UPSEID] = e.CPSEID
	}
	if t.teid == 0 {
		return sameUPSEID, 0
	}
	if sameFTEID = s.fteids[t]; sameFTEID == 0 {
		s.fteids[t] = e.CPSEID
	}
	return sameUPSEID, sameFTEID
}

// remove forgets a session.
func (s *held) remove(cpSEID uint64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h := s.up[cpSEID]
	delete(s.up, cpSEID)
	if s.byUP[h.upSEID] == cpSEID {
		delete(s.byUP, h.upSEID)
	}
	if s.fteids[h.fteid] == cpSEID {
		delete(s.fteids, h.fteid)
	}
}

// clear forgets all sessions.
func (s *held) clear() {
	s.mu.Lock()
	defer s.mu.Unlock()
	clear(s.up)
	clear(s.byUP)
	clear(s.fteids)
}

// upSEID returns the UP SEID of a session.
func (s *held) upSEID(cpSEID uint64) (uint64, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	h, ok := s.up[cpSEID]
	return h.upSEID, ok
}

func (s *held) len() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.up)
}
