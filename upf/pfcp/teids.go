package pfcp

import (
	"crypto/rand"
	"encoding/binary"
	"sync"
)

// teids says which session has which TEID, given and chosen ones alike, so that
// the two never collide.
type teids struct {
	mu     sync.Mutex
	owner  map[uint32]uint64 // TEID to the UP function's SEID
	random func() uint32
}

func newTEIDs() *teids { return &teids{owner: map[uint32]uint64{}, random: randomTEID} }

// randomTEID and randomSEID cannot be guessed: who knows one tunnel or session
// knows nothing of the others.
func randomTEID() uint32 {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint32(b[:])
}

func randomSEID() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.BigEndian.Uint64(b[:])
}

// choose finds a free TEID for the session. There are 2^32-1 of them and far
// fewer sessions, so it ends soon.
func (t *teids) choose(seid uint64) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		teid := t.random()
		if _, taken := t.owner[teid]; !taken && teid != 0 {
			t.owner[teid] = seid
			return teid
		}
	}
}

// claim takes a TEID for the session; not ok when another has it. It is fresh
// when the session did not have it before.
func (t *teids) claim(teid uint32, seid uint64) (fresh, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	owner, taken := t.owner[teid]
	if !taken {
		t.owner[teid] = seid
	}
	return !taken, !taken || owner == seid
}

func (t *teids) free(list []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, teid := range list {
		delete(t.owner, teid)
	}
}

// ownerOf is the session that has a TEID; 0 when none does.
func (t *teids) ownerOf(teid uint32) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.owner[teid]
}

func (t *teids) has(teid uint32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, has := t.owner[teid]
	return has
}
