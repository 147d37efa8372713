package pfcp

import (
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
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
	o := p.run(s, from)
	if o.keep {
		s.answers.keep(key, o, from.at)
	}
	return o.answer
}

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

// fail is the outcome of a request that is refused.
func (s *Server) fail(from source, err error) outcome {
	r := rejectionOf(err)
	if r.seid == 0 {
		r.seid = s.cpSEID(from)
	}
	return outcome{answer: s.rejected(from.Header, r)}
}

// encode builds a PFCP message with the IEs, without those that are nil. Its
// SEID is written for session messages only.
func encode(typ pfcp.MessageType, seid uint64, sequence uint32, ies ...*ie.IE) []byte {
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: typ, SEID: seid, Sequence: sequence})
	for _, i := range ies {
		if i != nil {
			m.IE(i.Type, i.Payload...)
		}
	}
	return m.Bytes()
}

// accepted builds the answer to a request that was carried out.
func (s *Server) accepted(req pfcp.Header, seid uint64, more ...*ie.IE) []byte {
	return s.answer(req, seid, ie.CauseRequestAccepted, more...)
}

// rejected builds the answer to a request that was refused.
func (s *Server) rejected(req pfcp.Header, r *rejection) []byte {
	s.count(func(c *Counters) { c.reject(req.Type, r.cause) })
	s.logRejection(req, r)
	return s.answer(req, r.seid, r.cause, r.ies()...)
}

// answer builds a response. It has a Node ID where the tables of TS 29.244
// clauses 7.4 and 7.5 want one.
func (s *Server) answer(req pfcp.Header, seid uint64, cause uint8, more ...*ie.IE) []byte {
	ies := make([]*ie.IE, 0, 8)
	if !req.Type.OfSession() && req.Type != pfcp.PFDManagementRequest || req.Type == pfcp.SessionEstablishmentRequest {
		ies = append(ies, s.nodeID)
	}
	ies = append(append(ies, ie.NewCause(cause)), more...)
	return encode(req.Type+1, seid, req.Sequence, ies...)
}

// rejection is why a request is not carried out, as the answer has it
// (TS 29.244 clause 8.2.1).
type rejection struct {
	cause     uint8
	offending uint16             // type of the offending IE, 0 when there is none
	failed    *session.RuleError // for cause 73
	seid      uint64             // the CP function's SEID when it is known
	reason    string             // for the log
}

// Error implements error.
func (r *rejection) Error() string {
	text := fmt.Sprintf("cause %d (%s)", r.cause, pfcp.Cause(r.cause))
	if r.offending != 0 {
		text += fmt.Sprintf(", offending IE %d", r.offending)
	}
	if r.reason != "" {
		text += ": " + r.reason
	}
	return text
}

// ies gives what follows the Cause IE.
func (r *rejection) ies() []*ie.IE {
	var ies []*ie.IE
	if r.offending != 0 {
		ies = append(ies, ie.NewOffendingIE(r.offending))
	}
	if r.failed != nil {
		ies = append(ies, ie.NewFailedRuleID(uint8(r.failed.Kind), r.failed.ID))
	}
	return ies
}

func missing(typ uint16) error {
	return &rejection{cause: ie.CauseMandatoryIEMissing, offending: typ}
}

func missingConditional(typ uint16) error {
	return &rejection{cause: ie.CauseConditionalIEMissing, offending: typ}
}

func badLength(typ uint16) error {
	return &rejection{cause: ie.CauseInvalidLength, offending: typ}
}

func incorrect(typ uint16, reason string) error {
	return &rejection{cause: ie.CauseMandatoryIEIncorrect, offending: typ, reason: reason}
}

func ruleError(kind session.Kind, id uint32, format string, args ...any) error {
	return &session.RuleError{Kind: kind, ID: id, Reason: fmt.Sprintf(format, args...)}
}

// rejectionOf finds the cause for an error of decode, of a rule or of a
// datapath.
func rejectionOf(err error) *rejection {
	var r *rejection
	var rule *session.RuleError
	switch {
	case errors.As(err, &r):
		return r
	case errors.As(err, &rule):
		return &rejection{cause: ie.CauseRuleCreationModificationFailure, failed: rule, reason: err.Error()}
	case errors.Is(err, datapath.ErrFull):
		return &rejection{cause: ie.CauseNoResourcesAvailable, reason: err.Error()}
	}
	return &rejection{cause: ie.CauseSystemFailure, reason: err.Error()}
}
