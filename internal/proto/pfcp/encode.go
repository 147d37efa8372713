package pfcp

import "github.com/wmnsk/go-pfcp/ie"

// Encode builds a PFCP message with the IEs, without those that are nil. Its
// SEID is written for session messages only.
func Encode(typ MessageType, seid uint64, sequence uint32, ies ...*ie.IE) []byte {
	var m Builder
	m.Begin(Header{Type: typ, SEID: seid, Sequence: sequence})
	for _, i := range ies {
		if i != nil {
			m.IE(i.Type, i.Payload...)
		}
	}
	return m.Bytes()
}

// Group is a grouped IE, encoded, without those that are nil.
func Group(typ uint16, ies ...*ie.IE) *ie.IE {
	var m Builder
	m.Begin(Header{})
	for _, i := range ies {
		if i != nil {
			m.IE(i.Type, i.Payload...)
		}
	}
	const header = 8
	return ie.New(typ, m.Bytes()[header:])
}
