package pfcp

import (
	"errors"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// source is where a request came from, when, and its header.
type source struct {
	pfcp.Header
	peer netip.AddrPort
	at   time.Time
}

// outcome is what a procedure leads to.
type outcome struct {
	answer []byte
	// keep: the request had an effect, so a repetition must get the same answer
	// without being carried out again.
	keep bool
	node string // the Node ID that it was about
}

// receive handles one datagram and returns the answer, nil when there is none.
// It keeps nothing of b. Copies of a request are given to it one after the other.
func (s *Server) receive(b []byte, peer netip.AddrPort, now time.Time) []byte {
	s.count(func(c *Counters) { c.Received++ })
	h, ies, rest, err := pfcp.Parse(b)
	from := source{h, peer, now}
	switch {
	case err == pfcp.ErrShort:
		s.count(func(c *Counters) { c.Malformed++ })
		return nil
	case err == pfcp.ErrVersion:
		return s.otherVersion(h)
	case h.Type.IsResponse():
		s.response(from, ies)
		return nil
	case !h.Type.IsRequest():
		s.count(func(c *Counters) { c.UnknownType++ })
		return nil
	case h.Type == pfcp.NodeReportRequest || h.Type == pfcp.SessionReportRequest:
		s.count(func(c *Counters) { c.Unexpected++ })
		return nil
	case err == pfcp.ErrLength || len(rest) > 0:
		return s.badLength(from)
	}
	return s.request(from, ies, b)
}

func (s *Server) count(change func(*Counters)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change(&s.counters)
}

// otherVersion follows TS 29.244 clause 7.6.2.
func (s *Server) otherVersion(h pfcp.Header) []byte {
	s.count(func(c *Counters) { c.OtherVersion++ })
	if h.Type == pfcp.VersionNotSupported {
		return nil
	}
	return encode(pfcp.VersionNotSupported, 0, h.Sequence)
}

// badLength follows clause 7.6.3. A Heartbeat Response has no cause to give.
func (s *Server) badLength(from source) []byte {
	s.count(func(c *Counters) { c.Malformed++ })
	if from.Type == pfcp.HeartbeatRequest {
		return nil
	}
	return s.rejected(from.Header, &rejection{cause: ie.CauseInvalidLength, seid: s.cpSEID(from), reason: pfcp.ErrLength.Error()})
}

func (s *Server) request(from source, ies, datagram []byte) []byte {
	key := s.replies.Key(from.peer, from.Sequence, datagram)
	if answer, ok := s.replay(key, from); ok {
		return answer
	}
	if from.Type == pfcp.SessionEstablishmentRequest {
		s.count(func(c *Counters) { c.EstablishRequests++ })
	}
	p, err := decode(from.Header, ies)
	if errors.Is(err, pfcp.ErrDecoder) {
		s.count(func(c *Counters) { c.Malformed, c.DecoderPanics = c.Malformed+1, c.DecoderPanics+1 })
		return nil
	}
	if err != nil {
		return s.fail(from, err).answer
	}
	o := p.run(s, from)
	if o.keep {
		s.keep(key, o, from.at)
	}
	return o.answer
}

// subject is what a kept answer is about.
type subject struct {
	node        string
	association *association // the node's, after the request
}

func (s *Server) keep(key pfcp.ReplyKey, o outcome, now time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replies.Put(key, o.answer, subject{o.node, s.nodes[o.node]}, now)
}

// replay finds the answer that a request was given before: also when the session
// that it made is deleted since, or a late copy would make it again, and it would
// never be deleted (TS 29.244 clause 6.4). It no longer holds when the
// association was made anew.
func (s *Server) replay(key pfcp.ReplyKey, from source) ([]byte, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, ok := s.replies.Get(key, from.at)
	if !ok || s.nodes[r.Of.node] != r.Of.association || isRestart(from, r.Of.association) {
		return nil, false
	}
	s.counters.Repeated++
	return r.Answer, true
}

// isRestart reports whether a set-up with the octets of an earlier one is that of a
// CP function that begins again, and not a late copy: its association had sessions
// and has none left, so a new one loses nothing.
func isRestart(from source, a *association) bool {
	return from.Type == pfcp.AssociationSetupRequest && a != nil && a.confirmed && !a.ending && len(a.sessions) == 0
}

// fail is the outcome of a request that is refused.
func (s *Server) fail(from source, err error) outcome {
	r := rejectionOf(err)
	if r.seid == 0 {
		r.seid = s.cpSEID(from)
	}
	return outcome{answer: s.rejected(from.Header, r)}
}

// cpSEID is the CP function's SEID of the session that a message is about; 0 when
// there is none, or it is another's.
func (s *Server) cpSEID(from source) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if found := s.sessions[from.SEID]; found != nil && from.HasSEID && found.owns(from.peer.Addr()) {
		return found.cp
	}
	return 0
}
