package pfcp

import (
	"log/slog"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// outcome is what a procedure leads to.
type outcome struct {
	answer []byte
	// keep: the request had an effect, so a repetition must get the same answer
	// without being carried out again.
	keep bool
	node string // the Node ID that it was about
}

// answering builds the answers to requests.
type answering struct {
	associations *associations
	sessions     *sessions
	log          *slog.Logger
	nodeID       *ie.IE
	started      uint32 // Recovery Time Stamp
	*tally
}

// fail is the outcome of a request that is refused.
func (s *answering) fail(from source, err error) outcome {
	r := rejectionOf(err)
	if r.seid == 0 {
		r.seid = s.cpSEID(from)
	}
	return outcome{answer: s.rejected(from.Header, r)}
}

// accepted builds the answer to a request that was carried out.
func (s *answering) accepted(req pfcp.Header, seid uint64, more ...*ie.IE) []byte {
	return s.answer(req, seid, ie.CauseRequestAccepted, more...)
}

// rejected builds the answer to a request that was refused.
func (s *answering) rejected(req pfcp.Header, r *rejection) []byte {
	s.count(func(c *Counters) { c.reject(req.Type, r.cause) })
	s.logRejection(req, r)
	return s.answer(req, r.seid, r.cause, r.ies()...)
}

// answer builds a response. It has a Node ID where the tables of TS 29.244
// clauses 7.4 and 7.5 want one.
func (s *answering) answer(req pfcp.Header, seid uint64, cause uint8, more ...*ie.IE) []byte {
	ies := make([]*ie.IE, 0, 8)
	if !req.Type.OfSession() && req.Type != pfcp.PFDManagementRequest || req.Type == pfcp.SessionEstablishmentRequest {
		ies = append(ies, s.nodeID)
	}
	ies = append(append(ies, ie.NewCause(cause)), more...)
	return pfcp.Encode(req.Type+1, seid, req.Sequence, ies...)
}

// cpSEID is the CP function's SEID of the session that a message is about, for its owner and the other SMFs of that
// one's set.
func (s *answering) cpSEID(from source) uint64 {
	a := s.sessions.associationOf(from.SEID)
	if !from.HasSEID || a == nil || !s.associations.mayAct(a, from.peer.Addr()) {
		return 0
	}
	if cp := s.sessions.cpSEID(from); cp != 0 {
		return cp
	}
	if one := s.sessions.get(from.SEID); one != nil && s.associations.serves(a, from.peer.Addr()) {
		cp, _ := s.sessions.cpFSEID(one)
		return cp
	}
	return 0
}

func (s *answering) logRejection(req pfcp.Header, r *rejection) {
	s.log.Warn("PFCP request refused", "type", req.Type, "sequence", req.Sequence, "seid", seid(req.SEID), "ue",
		uesOf(s.sessions.rulesOf(req.SEID)),
		"why", r.Error())
}

func (s *answering) recoveryIE() *ie.IE {
	return ie.NewUint32IE(ie.RecoveryTimeStamp, s.started)
}
