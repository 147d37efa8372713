package pfcp

import (
	"net/netip"
	"testing"
	"time"
)

var peer = netip.MustParseAddrPort("192.0.2.1:8805")

func TestRepliesAreTheirRequests(t *testing.T) {
	r, now := NewReplies[string](), time.Unix(0, 0)
	request := []byte{1, 2, 3}
	r.Put(r.Key(peer, 1, request), []byte{9}, "session 1", now)
	got, ok := r.Get(r.Key(peer, 1, request), now.Add(replyLifetime-1))
	if !ok || got.Of != "session 1" || len(got.Answer) != 1 {
		t.Errorf("reply %+v, %v", got, ok)
	}
	for story, key := range map[string]ReplyKey{
		"another port":     r.Key(netip.AddrPortFrom(peer.Addr(), 1), 1, request),
		"another sequence": r.Key(peer, 2, request),
		"other octets":     r.Key(peer, 1, []byte{1, 2, 4}),
	} {
		if _, ok := r.Get(key, now); ok {
			t.Errorf("%s: has the reply", story)
		}
	}
}

func TestRepliesAreBounded(t *testing.T) {
	r, now := NewReplies[int](), time.Unix(0, 0)
	key := func(i int) ReplyKey { return ReplyKey{sequence: uint32(i)} }
	for i := range maxReplies + 10 {
		r.Put(key(i), nil, i, now)
	}
	if r.Len() != maxReplies {
		t.Errorf("%d answers kept, want %d", r.Len(), maxReplies)
	}
	if _, ok := r.Get(key(9), now); ok {
		t.Error("the oldest was not the one to go")
	}
	if _, ok := r.Get(key(10), now.Add(replyLifetime)); ok {
		t.Error("an old answer still counts")
	}
	r.Put(key(1), nil, 1, now.Add(replyLifetime))
	if r.Len() != 1 || len(r.order)-r.head != 1 {
		t.Errorf("%d answers and %d in order after all expired, want 1", r.Len(), len(r.order)-r.head)
	}
}

func TestRepliesAreBoundedInOctets(t *testing.T) {
	r, now := NewReplies[int](), time.Unix(0, 0)
	const large = 60000
	for i := range 1000 {
		r.Put(ReplyKey{sequence: uint32(i)}, make([]byte, large), i, now)
	}
	if want := maxReplyOctets / large; r.Len() != want || r.octets != want*large {
		t.Errorf("%d answers of %d octets, want %d", r.Len(), r.octets, want)
	}
	if _, ok := r.Get(ReplyKey{sequence: 999}, now); !ok {
		t.Error("the latest is not there")
	}
}

// An answer is a copy. One to the same request takes the place of an older one, which going
// leaves it alone; the octets of those that are gone go, too.
func TestRepliesAreReplaced(t *testing.T) {
	r, now := NewReplies[string](), time.Unix(0, 0)
	key, answer := ReplyKey{sequence: 1}, []byte{1}
	r.Put(key, answer, "session 1", now)
	answer[0] = 2
	if got, _ := r.Get(key, now); got.Answer[0] != 1 {
		t.Errorf("the answer is %v after its owner changed it", got.Answer)
	}
	r.Put(key, answer, "session 2", now.Add(replyLifetime/2))
	r.Put(ReplyKey{sequence: 2}, answer, "session 1", now.Add(replyLifetime)) // the first goes
	if got, ok := r.Get(key, now.Add(replyLifetime)); !ok || got.Of != "session 2" || got.Answer[0] != 2 {
		t.Errorf("reply %+v, %v, want the newer one", got, ok)
	}
	if r.Len() != 2 || r.octets != 2 {
		t.Errorf("%d answers of %d octets, want 2 of 2", r.Len(), r.octets)
	}
	for i := range 100 {
		r.Put(ReplyKey{sequence: uint32(10 + i)}, make([]byte, pageOctets/2), "session 3", now.Add(time.Duration(i)*replyLifetime))
	}
	if len(r.pages) > 2 {
		t.Errorf("%d pages for one answer", len(r.pages))
	}
}
