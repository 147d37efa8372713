package pfcp

import (
	"hash/maphash"
	"net/netip"
	"time"
)

// Bounds of Replies. A reply is kept longer than any sender repeats a request.
const (
	replyLifetime   = 30 * time.Second
	maxReplies      = 1 << 16
	maxReplyOctets  = 16 << 20 // of all answers
	replyCompaction = 2        // the list is compacted when 1/2 of it is unused
)

// Replies keeps answers, so that a repeated request gets the same one without
// being carried out twice (TS 29.244 clause 6.4). T is what the owner wants to
// know of a reply. The oldest go first when there are too many.
type Replies[T any] struct {
	seed   maphash.Seed
	byKey  map[ReplyKey]Reply[T]
	order  []ReplyKey // by age, from head on
	head   int
	octets int
}

// ReplyKey identifies a request. Its octets are part of it because a restarted
// peer may use a sequence number again.
type ReplyKey struct {
	sum      uint64 // of the octets and the peer
	sequence uint32
}

// Reply is a kept answer.
type Reply[T any] struct {
	Answer  []byte
	Of      T
	expires time.Time
}

// NewReplies returns an empty set.
func NewReplies[T any]() *Replies[T] {
	return &Replies[T]{seed: maphash.MakeSeed(), byKey: map[ReplyKey]Reply[T]{}}
}

// Key returns the key of the request in the datagram.
func (r *Replies[T]) Key(peer netip.AddrPort, sequence uint32, datagram []byte) ReplyKey {
	both := struct {
		peer   netip.AddrPort
		octets uint64
	}{peer, maphash.Bytes(r.seed, datagram)}
	return ReplyKey{maphash.Comparable(r.seed, both), sequence}
}

// Get returns the reply to a request, unless it is too old.
func (r *Replies[T]) Get(key ReplyKey, now time.Time) (Reply[T], bool) {
	got, ok := r.byKey[key]
	return got, ok && now.Before(got.expires)
}

// Len is how many replies are kept.
func (r *Replies[T]) Len() int { return len(r.byKey) }

// Put keeps the answer to a request.
func (r *Replies[T]) Put(key ReplyKey, answer []byte, of T, now time.Time) {
	for r.head < len(r.order) && r.mustGo(len(answer), now) {
		r.dropOldest()
	}
	if r.head > len(r.order)/replyCompaction {
		r.order = append(r.order[:0], r.order[r.head:]...)
		r.head = 0
	}
	old, again := r.byKey[key]
	r.octets += len(answer) - len(old.Answer)
	r.byKey[key] = Reply[T]{answer, of, now.Add(replyLifetime)}
	if !again {
		r.order = append(r.order, key)
	}
}

// mustGo reports whether the oldest reply makes way for one of the size.
func (r *Replies[T]) mustGo(size int, now time.Time) bool {
	return len(r.byKey) >= maxReplies || r.octets+size > maxReplyOctets ||
		!now.Before(r.byKey[r.order[r.head]].expires)
}

func (r *Replies[T]) dropOldest() {
	key := r.order[r.head]
	r.octets -= len(r.byKey[key].Answer)
	delete(r.byKey, key)
	r.head++
}
