package pfcp

import (
	"encoding/binary"
	"errors"
)

// Header is a PFCP message header (TS 29.244 clause 7.2.2). The version is
// always 1.
type Header struct {
	Type     MessageType
	HasSEID  bool
	SEID     uint64 // 0 without HasSEID
	Sequence uint32 // 24 bits
}

// MaxSequence is the highest sequence number; 0 follows it.
const MaxSequence = 1<<24 - 1

const (
	version     = 1
	version1    = version << 5
	versionMask = 7 << 5
	flagSEID    = 1 << 0
)

// Sizes in octets.
const (
	nodeHeaderLen    = 8
	sessionHeaderLen = 16
	lengthFrom       = 4 // the length field counts what follows the fourth octet
)

// Why a datagram is not a message of version 1.
var (
	ErrShort   = errors.New("datagram is shorter than a PFCP header")
	ErrVersion = errors.New("PFCP version is not 1")
	ErrLength  = errors.New("message length in the PFCP header does not fit the datagram")
)

// Parse splits a datagram into the header, the IEs, and what follows the
// message: another one, or padding. With ErrVersion and ErrLength the header
// is valid as far as an answer needs it. The slices are b's.
func Parse(b []byte) (h Header, ies, rest []byte, err error) {
	if len(b) < nodeHeaderLen {
		return h, nil, nil, ErrShort
	}
	h.Type, h.HasSEID = MessageType(b[1]), b[0]&flagSEID != 0
	size := nodeHeaderLen
	if h.HasSEID {
		size = sessionHeaderLen
		if len(b) < size {
			return h, nil, nil, ErrShort
		}
		h.SEID = binary.BigEndian.Uint64(b[4:])
	}
	h.Sequence = binary.BigEndian.Uint32(b[size-4:]) >> 8
	if b[0]&versionMask != version1 {
		return h, nil, nil, ErrVersion
	}
	end := lengthFrom + int(binary.BigEndian.Uint16(b[2:]))
	if end < size || end > len(b) {
		return h, nil, nil, ErrLength
	}
	return h, b[size:end:end], b[end:], nil
}

// append writes the header with a length of 0, which Builder fills in.
func (h Header) append(b []byte) []byte {
	if !h.HasSEID {
		b = append(b, version1, byte(h.Type), 0, 0)
	} else {
		b = append(b, version1|flagSEID, byte(h.Type), 0, 0)
		b = binary.BigEndian.AppendUint64(b, h.SEID)
	}
	return binary.BigEndian.AppendUint32(b, h.Sequence<<8)
}
