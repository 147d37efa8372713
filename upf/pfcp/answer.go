package pfcp

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"
)

// encode builds a PFCP message with the IEs, nil ones left out. Its SEID is
// written for session messages only.
func encode(typ uint8, seid uint64, sequence uint32, ies ...*ie.IE) []byte {
	b := make([]byte, 4, 128)
	b[0], b[1] = version1, typ
	if isSession(typ) {
		b[0] |= flagSEID
		b = binary.BigEndian.AppendUint64(b, seid)
	}
	b = binary.BigEndian.AppendUint32(b, sequence<<8)
	for _, i := range ies {
		b = appendIE(b, i)
	}
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)-4))
	return b
}

func appendIE(b []byte, i *ie.IE) []byte {
	if i == nil {
		return b
	}
	b = binary.BigEndian.AppendUint16(b, i.Type)
	b = binary.BigEndian.AppendUint16(b, uint16(len(i.Payload)))
	return append(b, i.Payload...)
}

// accepted builds the answer to a request that was carried out.
func (s *Server) accepted(req header, seid uint64, more ...*ie.IE) []byte {
	return s.answer(req, seid, ie.CauseRequestAccepted, more...)
}

// rejected builds the answer to a request that was not.
func (s *Server) rejected(req header, r *rejection) []byte {
	s.counters.reject(r.cause)
	s.logRejection(req, r)
	return s.answer(req, r.seid, r.cause, r.ies()...)
}

// answer builds a response. Its Node ID is there where the tables of TS 29.244
// clauses 7.4 and 7.5 want one.
func (s *Server) answer(req header, seid uint64, cause uint8, more ...*ie.IE) []byte {
	ies := make([]*ie.IE, 0, 8)
	if !isSession(req.typ) && req.typ != pfdManagementRequest || req.typ == establishmentRequest {
		ies = append(ies, s.nodeID)
	}
	ies = append(append(ies, ie.NewCause(cause)), more...)
	return encode(req.typ+1, seid, req.sequence, ies...)
}
