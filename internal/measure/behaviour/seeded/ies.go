package seeded

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// grouped are IEs of which faults change what is in them.
var grouped = map[uint16]bool{ie.CreateURR: true, ie.UpdateURR: true, ie.ErrorIndicationReport: true,
	ie.UsageReportWithinSessionModificationResponse: true, ie.UsageReportWithinSessionDeletionResponse: true,
	ie.UsageReportWithinSessionReportRequest: true}

// ies changes the IEs of a message, at any depth: change gives the new value, nil for an IE that is left out.
func ies(m []byte, change func(typ uint16, value []byte) []byte) []byte {
	header := 8
	if m[0]&1 != 0 {
		header = 16
	}
	out := append([]byte(nil), m[:header]...)
	out = append(out, changed(m[header:], change)...)
	binary.BigEndian.PutUint16(out[2:], uint16(len(out)-4))
	return out
}

func changed(b []byte, change func(typ uint16, value []byte) []byte) (out []byte) {
	for len(b) >= 4 {
		typ, end := binary.BigEndian.Uint16(b), min(len(b), 4+int(binary.BigEndian.Uint16(b[2:])))
		value := change(typ, b[4:end])
		if value != nil && grouped[typ] {
			value = changed(value, change)
		}
		if value != nil {
			out = element(out, typ, value)
		}
		b = b[end:]
	}
	return out
}

// retyped gives an IE of a message the type of another one.
func retyped(of pfcp.MessageType, from, to uint16) func([]byte) []byte {
	return func(m []byte) []byte {
		if pfcp.MessageType(m[1]) != of {
			return m
		}
		m = append([]byte(nil), m...)
		const header = 16
		for at := header; at+4 <= len(m); at += 4 + int(binary.BigEndian.Uint16(m[at+2:])) {
			if binary.BigEndian.Uint16(m[at:]) == from {
				binary.BigEndian.PutUint16(m[at:], to)
			}
		}
		return m
	}
}

func element(b []byte, typ uint16, value []byte) []byte {
	b = binary.BigEndian.AppendUint16(b, typ)
	return append(binary.BigEndian.AppendUint16(b, uint16(len(value))), value...)
}

// without leaves an IE out of messages of a type; 0: of all.
func without(of pfcp.MessageType, typ uint16) func([]byte) []byte {
	return func(m []byte) []byte {
		if of != 0 && pfcp.MessageType(m[1]) != of {
			return m
		}
		return ies(m, func(t uint16, v []byte) []byte {
			if t == typ {
				return nil
			}
			return v
		})
	}
}

// numbers changes the number of an IE in all messages: of 4 octets, or the 8 octets behind the flags of a volume.
func numbers(typ uint16, change func(uint64) uint64) func([]byte) []byte {
	return func(m []byte) []byte {
		return ies(m, func(t uint16, v []byte) []byte {
			if t != typ {
				return v
			}
			v = append([]byte(nil), v...)
			if len(v) == 4 {
				binary.BigEndian.PutUint32(v, uint32(change(uint64(binary.BigEndian.Uint32(v)))))
			}
			for i := 1; len(v) > 4 && i+8 <= len(v); i += 8 {
				binary.BigEndian.PutUint64(v[i:], change(binary.BigEndian.Uint64(v[i:])))
			}
			return v
		})
	}
}
