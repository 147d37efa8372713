// Package gtpu is a codec of GTP-U (3GPP TS 29.281) with the PDU session
// container (TS 38.415). Parsing allocates nothing and checks every bound;
// the Append functions write into the caller's buffer.
package gtpu

import "strconv"

// Port is GTP-U's registered UDP port (TS 29.281 clause 4.4.2).
const Port = 2152

// Sizes in octets.
const (
	HeaderLen   = 8 // the mandatory part of the header
	OptionalLen = 4 // sequence number, N-PDU number, next extension header type
	MaxPayload  = 65535 - OptionalLen - pscLen
)

// MessageType is the second octet of the header (TS 29.281 table 6.1-1).
type MessageType uint8

// The messages.
const (
	EchoRequest               MessageType = 1
	EchoResponse              MessageType = 2
	ErrorIndication           MessageType = 26
	SupportedExtensionHeaders MessageType = 31
	TunnelStatus              MessageType = 253
	EndMarker                 MessageType = 254
	GPDU                      MessageType = 255
)

// String gives the name that TS 29.281 uses.
func (t MessageType) String() string {
	switch t {
	case EchoRequest:
		return "Echo Request"
	case EchoResponse:
		return "Echo Response"
	case ErrorIndication:
		return "Error Indication"
	case SupportedExtensionHeaders:
		return "Supported Extension Headers Notification"
	case TunnelStatus:
		return "Tunnel Status"
	case EndMarker:
		return "End Marker"
	case GPDU:
		return "G-PDU"
	}
	return "message type " + strconv.Itoa(int(t))
}

// Flags of the first octet (clause 5.1).
const (
	version1     = 1 << 5
	versionMask  = 7 << 5
	flagPT       = 1 << 4 // GTP, not GTP'
	flagE        = 1 << 2 // extension headers follow
	flagS        = 1 << 1 // the sequence number is meant
	flagPN       = 1 << 0 // the N-PDU number is meant
	flagOptional = flagE | flagS | flagPN
)

// Types of extension headers (clause 5.2.1).
const (
	extNone                = 0x00
	extPDUSessionContainer = 0x85
	extNeedsEndpoint       = 0x80 // set: the endpoint must understand the header
)
