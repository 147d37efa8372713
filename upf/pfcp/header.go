package pfcp

import (
	"encoding/binary"
	"errors"
)

// header is a PFCP message header (TS 29.244 clause 7.2.2).
type header struct {
	typ      uint8
	hasSEID  bool
	seid     uint64
	sequence uint32 // 24 bits
}

// Flags of the first octet.
const (
	version1    = 1 << 5
	versionMask = 7 << 5
	flagSEID    = 1 << 0
)

var (
	errShort   = errors.New("shorter than a PFCP header")
	errVersion = errors.New("PFCP version is not 1")
	errLength  = errors.New("the header's length is not the datagram's")
)

// parseHeader splits a datagram. With errVersion and errLength the header is
// valid as far as an answer needs it.
func parseHeader(b []byte) (h header, ies []byte, err error) {
	if len(b) < 8 {
		return h, nil, errShort
	}
	h.typ, h.hasSEID = b[1], b[0]&flagSEID != 0
	rest := b[4:]
	if h.hasSEID {
		if len(b) < 16 {
			return h, nil, errShort
		}
		h.seid, rest = binary.BigEndian.Uint64(rest), rest[8:]
	}
	h.sequence = binary.BigEndian.Uint32(rest) >> 8
	switch {
	case b[0]&versionMask != version1:
		return h, nil, errVersion
	case int(binary.BigEndian.Uint16(b[2:])) != len(b)-4:
		return h, nil, errLength
	}
	return h, rest[4:], nil
}

// isSession tells whether messages of the type belong to a session, and so
// carry a SEID.
func isSession(typ uint8) bool {
	return typ >= establishmentRequest && typ < 100
}

// isRequest tells whether a message of the type asks for an answer. Version 1
// knows no other types.
func isRequest(typ uint8) bool {
	switch typ {
	case heartbeatRequest, pfdManagementRequest, setupRequest, updateRequest, releaseRequest, nodeReportRequest,
		sessionSetRequest, establishmentRequest, modificationRequest, deletionRequest, sessionReportRequest:
		return true
	}
	return false
}

// isResponse tells whether a message of the type is an answer.
func isResponse(typ uint8) bool {
	return typ == versionNotSupported || typ > 0 && isRequest(typ-1)
}
