package n4

import (
	"context"
	"errors"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// receiver takes the messages that arrive on N4, and gives the answers.
type receiver struct {
	answers  *answers // that were given
	requests *ask.Requests
	nodes    *procedure.Nodes
	carry    *procedure.Sessions
	*procedure.Answers
}

// receive handles one datagram and returns the answer, nil when there is none.
// It keeps nothing of b. Copies of a request are given to it one after the other.
func (s *receiver) receive(b []byte, peer netip.AddrPort, now time.Time) []byte {
	s.Count(func(c *tally.Counters) { c.Received++ })
	h, ies, rest, err := pfcp.Parse(b)
	from := request.Source{Header: h, Peer: peer, At: now}
	switch {
	case err == pfcp.ErrShort:
		s.Count(func(c *tally.Counters) { c.Malformed++ })
		return nil
	case err == pfcp.ErrVersion:
		return s.otherVersion(h)
	case h.Type.IsResponse():
		s.response(from, ies)
		return nil
	case !h.Type.IsRequest():
		s.Count(func(c *tally.Counters) { c.UnknownType++ })
		return nil
	case h.Type == pfcp.NodeReportRequest || h.Type == pfcp.SessionReportRequest:
		s.Count(func(c *tally.Counters) { c.Unexpected++ })
		return nil
	case err == pfcp.ErrLength || len(rest) > 0:
		return s.badLength(from)
	}
	return s.request(from, ies, b)
}

// otherVersion follows TS 29.244 clause 7.6.2.
func (s *receiver) otherVersion(h pfcp.Header) []byte {
	s.Count(func(c *tally.Counters) { c.OtherVersion++ })
	if h.Type == pfcp.VersionNotSupported {
		return nil
	}
	return pfcp.Encode(pfcp.VersionNotSupported, 0, h.Sequence)
}

// badLength follows clause 7.6.3. A Heartbeat Response has no cause to give.
func (s *receiver) badLength(from request.Source) []byte {
	s.Count(func(c *tally.Counters) { c.Malformed++ })
	if from.Type == pfcp.HeartbeatRequest {
		return nil
	}
	return s.Rejected(from.Header, &request.Rejection{Cause: ie.CauseInvalidLength, SEID: s.CPSEID(from), Reason: pfcp.ErrLength.Error()})
}

// carryOut has a request carried out by whom it is for.
func (s *receiver) carryOut(p request.Request, from request.Source) procedure.Outcome {
	switch p := p.(type) {
	case request.Heartbeat:
		return s.nodes.Heartbeat(p, from)
	case request.Setup:
		return s.nodes.SetUp(p, from)
	case request.Update:
		return s.nodes.Update(p, from)
	case request.Release:
		return s.nodes.Release(p, from)
	case request.PFDManagement:
		return s.nodes.Manage(p, from)
	case request.SetDeletion:
		return s.nodes.DeleteSets(p, from)
	case request.Establishment:
		return s.carry.Establish(p, from)
	case request.Modification:
		return s.carry.Modify(p, from)
	case request.Deletion:
		return s.carry.Delete(from)
	}
	return procedure.Outcome{} // no answer, and no effect: Decode gives no other
}

func (s *receiver) request(from request.Source, ies, datagram []byte) []byte {
	key := s.answers.key(from, datagram)
	if answer, ok := s.answers.replay(key, from); ok {
		return answer
	}
	if from.Type == pfcp.SessionEstablishmentRequest {
		s.Count(func(c *tally.Counters) { c.EstablishRequests++ })
	}
	p, err := request.Decode(from.Header, ies)
	if errors.Is(err, pfcp.ErrDecoder) {
		s.Count(func(c *tally.Counters) { c.Malformed, c.DecoderPanics = c.Malformed+1, c.DecoderPanics+1 })
		return nil
	}
	if err != nil {
		return s.Fail(from, err).Answer
	}
	o := s.carryOut(p, from)
	if o.Keep {
		s.answers.keep(key, o, from.At)
	}
	return o.Answer
}

// response takes a response to what the server asked.
func (s *receiver) response(from request.Source, ies []byte) {
	if s.requests.Settled(from, ies) {
		return
	}
	if !s.Associations.Liveness.Answered(from) {
		s.Count(func(c *tally.Counters) { c.Unexpected++ })
		return
	}
	p, err := request.Decode(pfcp.Header{Type: pfcp.HeartbeatRequest}, ies)
	if err != nil {
		s.Count(func(c *tally.Counters) { c.Malformed++ })
		return
	}
	if h := p.(request.Heartbeat); h.HasRecovery {
		s.nodes.Restarted(from.Peer, h.Recovery)
	}
}

// beat sends heartbeats until ctx is done. Without an interval it sends them only
// to CP functions whose Node ID another address claims.
func (s *Server) beat(ctx context.Context, to write) {
	period := s.associations.Liveness.BeatPeriod()
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, one := range s.nodes.DueBeats(now) {
				s.send(to, one.Message, one.To)
			}
			if now := s.associations.Liveness.BeatPeriod(); now != period {
				period = now
				tick.Reset(period)
			}
		}
	}
}
