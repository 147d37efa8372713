package pfcp

import (
	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

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
