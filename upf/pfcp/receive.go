package pfcp

import (
	"errors"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// source is where a request came from, and its header.
type source struct {
	pfcp.Header
	peer netip.AddrPort
}

// outcome is what a procedure leads to.
type outcome struct {
	answer []byte
	// keep: the request had an effect, so a repetition must get the same answer
	// without being carried out again.
	keep bool
	node string // the Node ID that it was about
	seid uint64 // the session that the answer speaks of, 0 when it is gone
}

// receive handles one datagram and returns the answer, nil when there is none.
// It keeps nothing of b.
func (s *Server) receive(b []byte, peer netip.AddrPort, now time.Time) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.Received++
	h, ies, rest, err := pfcp.Parse(b)
	switch {
	case err == pfcp.ErrShort:
		s.counters.Malformed++
		return nil
	case err == pfcp.ErrVersion:
		return s.otherVersion(h)
	case h.Type.IsResponse():
		s.response(source{h, peer}, ies, now)
		return nil
	case !h.Type.IsRequest():
		s.counters.UnknownType++
		return nil
	case h.Type == pfcp.NodeReportRequest || h.Type == pfcp.SessionReportRequest:
		s.counters.Unexpected++
		return nil
	case err == pfcp.ErrLength || len(rest) > 0:
		return s.badLength(source{h, peer})
	}
	return s.request(source{h, peer}, ies, b, now)
}

// otherVersion follows TS 29.244 clause 7.6.2.
func (s *Server) otherVersion(h pfcp.Header) []byte {
	s.counters.OtherVersion++
	if h.Type == pfcp.VersionNotSupported {
		return nil
	}
	return encode(pfcp.VersionNotSupported, 0, h.Sequence)
}

// badLength follows clause 7.6.3. A Heartbeat Response has no cause to give.
func (s *Server) badLength(from source) []byte {
	s.counters.Malformed++
	if from.Type == pfcp.HeartbeatRequest {
		return nil
	}
	return s.rejected(from.Header, &rejection{cause: ie.CauseInvalidLength, seid: s.cpSEID(from.Header), reason: pfcp.ErrLength.Error()})
}

func (s *Server) request(from source, ies, datagram []byte, now time.Time) []byte {
	key := s.replies.Key(from.peer, from.Sequence, datagram)
	if answer, ok := s.replay(key, now); ok {
		s.counters.Repeated++
		return answer
	}
	p, err := decode(from.Header, ies)
	if errors.Is(err, pfcp.ErrDecoder) {
		s.counters.Malformed++
		s.counters.DecoderPanics++
		return nil
	}
	if err != nil {
		return s.rejected(from.Header, s.addressed(rejectionOf(err), from.Header))
	}
	o := p.run(s, from)
	if o.keep {
		s.replies.Put(key, o.answer, subject{node: o.node, association: s.nodes[o.node], seid: o.seid}, now)
	}
	return o.answer
}

// subject is what a kept answer is about.
type subject struct {
	node        string
	association *association // the node's, after the request
	seid        uint64       // 0 when the request ended the session
}

// replay finds the answer that a request was given before. It no longer holds
// when the association was made anew or the session that it speaks of is gone:
// then it is a new request that looks like an old one.
func (s *Server) replay(key pfcp.ReplyKey, now time.Time) ([]byte, bool) {
	r, ok := s.replies.Get(key, now)
	if !ok || s.nodes[r.Of.node] != r.Of.association {
		return nil, false
	}
	if r.Of.seid != 0 && s.sessions[r.Of.seid] == nil {
		return nil, false
	}
	return r.Answer, true
}

// fail is the outcome of a request that is refused.
func (s *Server) fail(from source, err error) outcome {
	return outcome{answer: s.rejected(from.Header, s.addressed(rejectionOf(err), from.Header))}
}

// addressed fills the CP function's SEID in when the session is known.
func (s *Server) addressed(r *rejection, h pfcp.Header) *rejection {
	if r.seid == 0 {
		r.seid = s.cpSEID(h)
	}
	return r
}

func (s *Server) cpSEID(h pfcp.Header) uint64 {
	if found := s.sessions[h.SEID]; found != nil && h.HasSEID {
		return found.cp
	}
	return 0
}
