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
// know of a reply. The oldest go first when there are too many. A UPF keeps tens
// of thousands: but for the pages of their octets they hold no pointers, which the
// garbage collector would follow each time.
type Replies[T comparable] struct {
	seed   maphash.Seed
	begin  time.Time // that expiry is counted from
	byKey  map[ReplyKey]place
	order  []kept // by age, from head on
	head   int
	octets int
	pages  []page[T]
	gone   uint64 // pages before the first
}

// ReplyKey identifies a request. Its octets are part of it because a restarted
// peer may use a sequence number again.
type ReplyKey struct {
	sum      uint64 // of the octets and the peer
	sequence uint32
}

// Reply is a kept answer.
type Reply[T any] struct {
	Answer []byte // not to be changed
	Of     T
}

// kept is an answer in the order of age.
type kept struct {
	key ReplyKey
	at  place
}

// place is where an answer is.
type place struct {
	page     uint64 // counted from the first one ever
	from, to uint32 // in its octets
	of       uint32 // in the page's list
	expires  time.Duration
}

func (p place) octets() int { return int(p.to - p.from) }

// page holds answers one behind another, and what they are of: one entry for all that
// follow one another and are of the same.
type page[T comparable] struct {
	octets []byte
	of     []T
}

// pageOctets is the size of a page, unless one answer is larger.
const pageOctets = 16 << 10

// NewReplies returns an empty set.
func NewReplies[T comparable]() *Replies[T] {
	return &Replies[T]{seed: maphash.MakeSeed(), begin: time.Now(), byKey: map[ReplyKey]place{}}
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
func (r *Replies[T]) Get(key ReplyKey, now time.Time) (reply Reply[T], ok bool) {
	at, ok := r.byKey[key]
	if !ok || now.Sub(r.begin) >= at.expires {
		return reply, false
	}
	p := &r.pages[at.page-r.gone]
	return Reply[T]{p.octets[at.from:at.to:at.to], p.of[at.of]}, true
}

// Len is how many replies are kept.
func (r *Replies[T]) Len() int { return len(r.byKey) }

// Put keeps a copy of the answer to a request.
func (r *Replies[T]) Put(key ReplyKey, answer []byte, of T, now time.Time) {
	age := now.Sub(r.begin)
	for r.head < len(r.order) && r.mustGo(len(answer), age) {
		r.dropOldest()
	}
	if r.head > len(r.order)/replyCompaction {
		r.order = append(r.order[:0], r.order[r.head:]...)
		r.head = 0
	}
	at := r.write(answer, of)
	at.expires = age + replyLifetime
	r.byKey[key] = at
	r.order = append(r.order, kept{key, at})
	r.octets += len(answer)
}

// write adds an answer to the last page, or to a new one.
func (r *Replies[T]) write(answer []byte, of T) place {
	if n := len(r.pages); n == 0 || len(r.pages[n-1].octets)+len(answer) > cap(r.pages[n-1].octets) {
		r.pages = append(r.pages, page[T]{octets: make([]byte, 0, max(pageOctets, len(answer)))})
	}
	last := len(r.pages) - 1
	p := &r.pages[last]
	if n := len(p.of); n == 0 || p.of[n-1] != of {
		p.of = append(p.of, of)
	}
	from := len(p.octets)
	p.octets = append(p.octets, answer...)
	return place{page: r.gone + uint64(last), from: uint32(from), to: uint32(len(p.octets)), of: uint32(len(p.of) - 1)}
}

// mustGo reports whether the oldest reply makes way for one of the size.
func (r *Replies[T]) mustGo(size int, age time.Duration) bool {
	return len(r.order)-r.head >= maxReplies || r.octets+size > maxReplyOctets || age >= r.order[r.head].at.expires
}

// dropOldest forgets the oldest reply, which a newer one of the same key may have replaced, and
// the pages before that of the next one, or before the last.
func (r *Replies[T]) dropOldest() {
	oldest := r.order[r.head]
	r.octets -= oldest.at.octets()
	if r.byKey[oldest.key] == oldest.at {
		delete(r.byKey, oldest.key)
	}
	r.head++
	unused := len(r.pages) - 1
	if r.head < len(r.order) {
		unused = int(r.order[r.head].at.page - r.gone)
	}
	clear(r.pages[:unused])
	r.pages = r.pages[unused:]
	r.gone += uint64(unused)
}
