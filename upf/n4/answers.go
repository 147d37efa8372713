package n4

import (
	"sync"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// answers are kept for repetitions of their requests. The lock is taken before that of
// associations.
type answers struct {
	associations *association.Associations
	*tally.Tally

	mu      sync.Mutex
	replies *pfcp.Replies[association.Subject]
}

func (l *answers) key(from request.Source, datagram []byte) pfcp.ReplyKey {
	return l.replies.Key(from.Peer, from.Sequence, datagram)
}

func (l *answers) keep(key pfcp.ReplyKey, o procedure.Outcome, now time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.replies.Put(key, o.Answer, association.Subject{Node: o.Node, Association: l.associations.Of(o.Node)}, now)
}

// replay finds the answer that a request was given before: also when the session
// that it made is deleted since, or a late copy would make it again, and it would
// never be deleted (TS 29.244 clause 6.4). It no longer holds when the
// association was made anew.
func (l *answers) replay(key pfcp.ReplyKey, from request.Source) ([]byte, bool) {
	l.mu.Lock()
	r, ok := l.replies.Get(key, from.At)
	l.mu.Unlock()
	if !ok || !l.associations.Holds(r.Of, from) {
		return nil, false
	}
	l.Count(func(c *tally.Counters) { c.Repeated++ })
	return r.Answer, true
}
