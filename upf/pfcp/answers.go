package pfcp

import (
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// answers are kept for repetitions of their requests. The lock is taken before that of
// associations.
type answers struct {
	associations *associations
	*tally

	mu      sync.Mutex
	replies *pfcp.Replies[subject]
}

// subject is what a kept answer is about.
type subject struct {
	node        string
	association *association // the node's, after the request
}

func (l *answers) key(from source, datagram []byte) pfcp.ReplyKey {
	return l.replies.Key(from.peer, from.Sequence, datagram)
}

func (l *answers) keep(key pfcp.ReplyKey, o outcome, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replies.Put(key, o.answer, subject{o.node, l.associations.of(o.node)}, now)
}

// replay finds the answer that a request was given before: also when the session
// that it made is deleted since, or a late copy would make it again, and it would
// never be deleted (TS 29.244 clause 6.4). It no longer holds when the
// association was made anew.
func (l *answers) replay(key pfcp.ReplyKey, from source) ([]byte, bool) {
	l.mu.Lock()
	r, ok := l.replies.Get(key, from.at)
	l.mu.Unlock()
	if !ok || !l.associations.holds(r.Of, from) {
		return nil, false
	}
	l.count(func(c *Counters) { c.Repeated++ })
	return r.Answer, true
}

// holds reports whether an answer is still about the association that there is.
func (l *associations) holds(of subject, from source) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.nodes[of.node] == of.association && !of.association.isRestart(from)
}
