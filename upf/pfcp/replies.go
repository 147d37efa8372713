package pfcp

import (
	"hash/maphash"
	"net/netip"
	"time"
)

// Bounds of what is remembered: longer than any sender repeats a request, and
// some tens of megabytes at most.
const (
	replyLifetime = 30 * time.Second
	maxReplies    = 1 << 16
)

// replies remembers answers, so that a repeated request gets the same one
// without being carried out twice (TS 29.244 clause 6.4).
type replies struct {
	seed  maphash.Seed
	byKey map[replyKey]reply
	order []replyKey // by age, from head on
	head  int
}

// replyKey tells requests apart. The request's octets are part of it because a
// restarted peer may use a sequence number again.
type replyKey struct {
	peer     netip.AddrPort
	sequence uint32
	sum      uint64
}

type reply struct {
	answer      []byte
	node        string
	association *association // the node's, after the request
	seid        uint64
	expires     time.Time
}

func newReplies() *replies {
	return &replies{seed: maphash.MakeSeed(), byKey: map[replyKey]reply{}}
}

func (r *replies) key(from source, datagram []byte) replyKey {
	return replyKey{from.peer, from.sequence, maphash.Bytes(r.seed, datagram)}
}

func (r *replies) get(key replyKey, now time.Time) (reply, bool) {
	got, ok := r.byKey[key]
	return got, ok && now.Before(got.expires)
}

func (r *replies) put(key replyKey, v reply, now time.Time) {
	for n := len(r.order) - r.head; n > 0 && (n >= maxReplies || r.expired(now)); n-- {
		delete(r.byKey, r.order[r.head])
		r.head++
	}
	if r.head > len(r.order)/2 {
		r.order = append(r.order[:0], r.order[r.head:]...)
		r.head = 0
	}
	v.expires = now.Add(replyLifetime)
	r.byKey[key] = v
	r.order = append(r.order, key)
}

// expired tells whether the oldest answer is too old.
func (r *replies) expired(now time.Time) bool {
	return !now.Before(r.byKey[r.order[r.head]].expires)
}
