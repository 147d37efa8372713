package pfcp

import (
	"errors"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
)

// source is where a request came from, and its header.
type source struct {
	header
	peer netip.AddrPort
}

// outcome is what a procedure leads to.
type outcome struct {
	answer []byte
	// keep tells that the request had an effect: repeated, it must get the same
	// answer without being carried out again.
	keep bool
	node string // the Node ID that it was about
	seid uint64 // the session that the answer speaks of, 0 when it is gone
}

// receive handles one datagram and gives the answer, nil when there is none.
// It keeps nothing of b.
func (s *Server) receive(b []byte, peer netip.AddrPort, now time.Time) []byte {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.Received++
	h, ies, err := parseHeader(b)
	switch {
	case err == errShort:
		s.counters.Malformed++
		return nil
	case err == errVersion:
		return s.otherVersion(h)
	case isResponse(h.typ):
		s.response(source{h, peer}, ies)
		return nil
	case !isRequest(h.typ):
		s.counters.UnknownType++
		return nil
	case h.typ == nodeReportRequest || h.typ == sessionReportRequest:
		s.counters.Unexpected++
		return nil
	case err == errLength:
		return s.badLength(source{h, peer})
	}
	return s.request(source{h, peer}, ies, b, now)
}

// otherVersion follows TS 29.244 clause 7.6.2.
func (s *Server) otherVersion(h header) []byte {
	s.counters.OtherVersion++
	if h.typ == versionNotSupported {
		return nil
	}
	return encode(versionNotSupported, 0, h.sequence)
}

// badLength follows clause 7.6.3. A Heartbeat Response has no cause to give.
func (s *Server) badLength(from source) []byte {
	s.counters.Malformed++
	if from.typ == heartbeatRequest {
		return nil
	}
	return s.rejected(from.header, &rejection{cause: ie.CauseInvalidLength, seid: s.cpSEID(from.header), reason: errLength.Error()})
}

func (s *Server) request(from source, ies, datagram []byte, now time.Time) []byte {
	key := s.replies.key(from, datagram)
	if answer, ok := s.replay(key, now); ok {
		s.counters.Repeated++
		return answer
	}
	p, err := decode(from.header, ies)
	if errors.Is(err, errDecoder) {
		s.counters.Malformed++
		s.counters.DecoderPanics++
		return nil
	}
	if err != nil {
		return s.rejected(from.header, s.addressed(rejectionOf(err), from.header))
	}
	o := p.run(s, from)
	if o.keep {
		s.replies.put(key, reply{answer: o.answer, node: o.node, association: s.nodes[o.node], seid: o.seid}, now)
	}
	return o.answer
}

// replay finds the answer that a request was given before. It no longer holds
// when the association was made anew or the session that it speaks of is gone:
// then it is a new request that looks like an old one.
func (s *Server) replay(key replyKey, now time.Time) ([]byte, bool) {
	r, ok := s.replies.get(key, now)
	if !ok || s.nodes[r.node] != r.association {
		return nil, false
	}
	if r.seid != 0 && s.sessions[r.seid] == nil {
		return nil, false
	}
	return r.answer, true
}

// fail gives the outcome of a request that is refused.
func (s *Server) fail(from source, err error) outcome {
	return outcome{answer: s.rejected(from.header, s.addressed(rejectionOf(err), from.header))}
}

// addressed fills the CP function's SEID in when the session is known.
func (s *Server) addressed(r *rejection, h header) *rejection {
	if r.seid == 0 {
		r.seid = s.cpSEID(h)
	}
	return r
}

func (s *Server) cpSEID(h header) uint64 {
	if found := s.sessions[h.seid]; found != nil && h.hasSEID {
		return found.cp
	}
	return 0
}
