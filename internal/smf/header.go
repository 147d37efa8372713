package smf

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The message types of TS 29.244 table 7.3-1 that are sent or handled here.
const (
	msgHeartbeatRequest          = 1
	msgHeartbeatResponse         = 2
	msgAssociationSetupRequest   = 5
	msgAssociationSetupResponse  = 6
	msgAssociationUpdateRequest  = 7
	msgAssociationReleaseRequest = 9
	msgVersionNotSupported       = 11
	msgNodeReportRequest         = 12
	msgSessionSetDeletionRequest = 14
	msgEstablishmentRequest      = 50
	msgEstablishmentResponse     = 51
	msgModificationRequest       = 52
	msgDeletionRequest           = 54
	msgReportRequest             = 56
	msgReportResponse            = 57
)

// messageName gives the name of a message type in the words of TS 29.244.
func messageName(typ uint8) string {
	if int(typ) < len(messageNames) && messageNames[typ] != "" {
		return messageNames[typ]
	}
	return fmt.Sprintf("message of type %d", typ)
}

var messageNames = [...]string{
	1: "Heartbeat Request", 2: "Heartbeat Response",
	3: "PFD Management Request", 4: "PFD Management Response",
	5: "Association Setup Request", 6: "Association Setup Response",
	7: "Association Update Request", 8: "Association Update Response",
	9: "Association Release Request", 10: "Association Release Response",
	11: "Version Not Supported Response",
	12: "Node Report Request", 13: "Node Report Response",
	14: "Session Set Deletion Request", 15: "Session Set Deletion Response",
	16: "Session Set Modification Request", 17: "Session Set Modification Response",
	50: "Session Establishment Request", 51: "Session Establishment Response",
	52: "Session Modification Request", 53: "Session Modification Response",
	54: "Session Deletion Request", 55: "Session Deletion Response",
	56: "Session Report Request", 57: "Session Report Response",
}

// isResponse reports whether a message of the type answers a request: even
// below the Version Not Supported Response (11), odd from there on.
func isResponse(typ uint8) bool {
	if typ < msgVersionNotSupported {
		return typ%2 == 0
	}
	return typ%2 == 1
}

const (
	pfcpVersion = 1
	flagSEID    = 0x01
	maxSequence = 1<<24 - 1
)

// header is a PFCP message's header (clause 7.2.2).
type header struct {
	version uint8
	typ     uint8
	seid    uint64
	hasSEID bool
	seq     uint32 // 24 bits
}

var (
	errShort  = errors.New("shorter than its header")
	errLength = errors.New("message length does not fit the datagram")
)

// parseHeader reads the header of b and returns the IEs that follow it. What
// comes after the message (a bundled message, padding) is left out.
func parseHeader(b []byte) (h header, ies []byte, err error) {
	if len(b) < 8 {
		return h, nil, errShort
	}
	h = header{version: b[0] >> 5, typ: b[1], hasSEID: b[0]&flagSEID != 0}
	end, at := 4+int(binary.BigEndian.Uint16(b[2:])), 4
	if h.hasSEID {
		at += 8
	}
	if end < at+4 || end > len(b) {
		return h, nil, errLength
	}
	if h.hasSEID {
		h.seid = binary.BigEndian.Uint64(b[4:])
	}
	h.seq = binary.BigEndian.Uint32(b[at:]) >> 8
	return h, b[at+4 : end], nil
}
