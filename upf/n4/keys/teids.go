// Package keys knows which session has which TEID, UE address and tunnel. Each of its tables locks itself, and calls
// nothing while it is locked.
package keys

import (
	"crypto/rand"
	"encoding/binary"
	"sync"

	"github.com/upflab/upflab/upf/session"
)

// TEIDsOf lists the local TEIDs of rules, which may be nil.
func TEIDsOf(r *session.Rules) (list []uint32) {
	if r == nil {
		return nil
	}
	for i := range r.PDRs {
		if p := &r.PDRs[i].PDI; p.HasTEID {
			list = append(list, p.TEID)
		}
	}
	for i := range r.Endpoints {
		if p := &r.Endpoints[i].PDI; p.HasTEID {
			list = append(list, p.TEID)
		}
	}
	return list
}

// TEIDs says which session has which TEID, given and chosen ones alike, so that
// the two never collide.
type TEIDs struct {
	mu     sync.Mutex
	Owner  map[uint32]uint64 // TEID to the UP function's SEID
	Random func() uint32
}

func NewTEIDs() *TEIDs { return &TEIDs{Owner: map[uint32]uint64{}, Random: randomTEID} }

// randomTEID gives one that cannot be guessed: who knows one tunnel or session
// knows nothing of the others.
func randomTEID() uint32 {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint32(b[:])
}

// Choose finds a free TEID for the session. There are 2^32-1 of them and far
// fewer sessions, so it ends soon.
func (t *TEIDs) Choose(seid uint64) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		teid := t.Random()
		if _, taken := t.Owner[teid]; !taken && teid != 0 {
			t.Owner[teid] = seid
			return teid
		}
	}
}

// Claim takes a TEID for the session; not ok when another has it. It is fresh
// when the session did not have it before.
func (t *TEIDs) Claim(teid uint32, seid uint64) (fresh, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	owner, taken := t.Owner[teid]
	if !taken {
		t.Owner[teid] = seid
	}
	return !taken, !taken || owner == seid
}

func (t *TEIDs) Free(list []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, teid := range list {
		delete(t.Owner, teid)
	}
}

// OwnerOf is the session that has a TEID; 0 when none does.
func (t *TEIDs) OwnerOf(teid uint32) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.Owner[teid]
}

func (t *TEIDs) Has(teid uint32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, has := t.Owner[teid]
	return has
}
