package pfcp

import (
	"errors"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// receiver takes the messages that arrive on N4, and gives the answers.
type receiver struct {
	answers  *answers // that were given
	requests *requests
	nodes    *nodes
	carry    *carrier
	*answering
}

// receive handles one datagram and returns the answer, nil when there is none.
// It keeps nothing of b. Copies of a request are given to it one after the other.
func (s *receiver) receive(b []byte, peer netip.AddrPort, now time.Time) []byte {
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

// otherVersion follows TS 29.244 clause 7.6.2.
func (s *receiver) otherVersion(h pfcp.Header) []byte {
	s.count(func(c *Counters) { c.OtherVersion++ })
	if h.Type == pfcp.VersionNotSupported {
		return nil
	}
	return pfcp.Encode(pfcp.VersionNotSupported, 0, h.Sequence)
}

// badLength follows clause 7.6.3. A Heartbeat Response has no cause to give.
func (s *receiver) badLength(from source) []byte {
	s.count(func(c *Counters) { c.Malformed++ })
	if from.Type == pfcp.HeartbeatRequest {
		return nil
	}
	return s.rejected(from.Header, &rejection{cause: ie.CauseInvalidLength, seid: s.cpSEID(from), reason: pfcp.ErrLength.Error()})
}

// carryOut has a request carried out by whom it is for.
func (s *receiver) carryOut(p procedure, from source) outcome {
	switch p := p.(type) {
	case heartbeat:
		return s.nodes.heartbeat(p, from)
	case setup:
		return s.nodes.setUp(p, from)
	case update:
		return s.nodes.update(p, from)
	case release:
		return s.nodes.release(p, from)
	case pfdManagement:
		return s.nodes.manage(p, from)
	case setDeletion:
		return s.nodes.deleteSets(p, from)
	case establishment:
		return s.carry.establish(p, from)
	case modification:
		return s.carry.modify(p, from)
	default: // deletion
		return s.carry.delete(from)
	}
}

func (s *receiver) request(from source, ies, datagram []byte) []byte {
	key := s.answers.key(from, datagram)
	if answer, ok := s.answers.replay(key, from); ok {
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
	o := s.carryOut(p, from)
	if o.keep {
		s.answers.keep(key, o, from.at)
	}
	return o.answer
}
