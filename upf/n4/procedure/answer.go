package procedure

import (
	"log/slog"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// Outcome is what a procedure leads to.
type Outcome struct {
	Answer []byte
	// keep: the request had an effect, so a repetition must get the same answer
	// without being carried out again.
	Keep bool
	Node string // the Node ID that it was about
}

// Answers builds the answers to requests.
type Answers struct {
	Associations *association.Associations
	Sessions     *association.Sessions
	Log          *slog.Logger
	NodeID       *ie.IE
	Started      uint32 // Recovery Time Stamp
	*tally.Tally
}

// Fail is the outcome of a request that is refused.
func (s *Answers) Fail(from request.Source, err error) Outcome {
	r := request.RejectionOf(err)
	if r.SEID == 0 {
		r.SEID = s.CPSEID(from)
	}
	return Outcome{Answer: s.Rejected(from.Header, r)}
}

// accepted builds the answer to a request that was carried out.
func (s *Answers) accepted(req pfcp.Header, seid uint64, more ...*ie.IE) []byte {
	return s.answer(req, seid, ie.CauseRequestAccepted, more...)
}

// Rejected builds the answer to a request that was refused.
func (s *Answers) Rejected(req pfcp.Header, r *request.Rejection) []byte {
	s.Count(func(c *tally.Counters) { c.Reject(req.Type, r.Cause) })
	s.logRejection(req, r)
	return s.answer(req, r.SEID, r.Cause, r.IEs()...)
}

// answer builds a response. It has a Node ID where the tables of TS 29.244
// clauses 7.4 and 7.5 want one.
func (s *Answers) answer(req pfcp.Header, seid uint64, cause uint8, more ...*ie.IE) []byte {
	ies := make([]*ie.IE, 0, 8)
	if !req.Type.OfSession() && req.Type != pfcp.PFDManagementRequest || req.Type == pfcp.SessionEstablishmentRequest {
		ies = append(ies, s.NodeID)
	}
	ies = append(append(ies, ie.NewCause(cause)), more...)
	return pfcp.Encode(req.Type+1, seid, req.Sequence, ies...)
}

// CPSEID is the CP function's SEID of the session that a message is about, for its owner and the other SMFs of that
// one's set.
func (s *Answers) CPSEID(from request.Source) uint64 {
	a := s.Sessions.AssociationOf(from.SEID)
	if !from.HasSEID || a == nil || !s.Associations.MayAct(a, from.Peer.Addr()) {
		return 0
	}
	if cp := s.Sessions.CPSEID(from); cp != 0 {
		return cp
	}
	if one := s.Sessions.Get(from.SEID); one != nil && s.Associations.Serves(a, from.Peer.Addr()) {
		cp, _ := s.Sessions.CPFSEID(one)
		return cp
	}
	return 0
}

func (s *Answers) logRejection(req pfcp.Header, r *request.Rejection) {
	s.Log.Warn("PFCP request refused", "type", req.Type, "sequence", req.Sequence, "seid", association.LogSEID(req.SEID), "ue",
		association.UEsOf(s.Sessions.RulesOf(req.SEID)),
		"why", r.Error())
}

func (s *Answers) recoveryIE() *ie.IE {
	return ie.NewUint32IE(ie.RecoveryTimeStamp, s.Started)
}
