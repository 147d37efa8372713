package pfcp

import (
	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
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
