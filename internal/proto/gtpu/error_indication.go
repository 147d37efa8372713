package gtpu

import (
	"encoding/binary"
	"errors"
	"net/netip"
)

// Information elements (TS 29.281 table 8.1-1).
const (
	ieRecovery    = 14
	ieTEIDDataI   = 16
	iePeerAddress = 133
	// ieExtensionTypes, Extension Header Type List, has a length of one octet.
	ieExtensionTypes = 141
	ieTLV            = 0x80 // set: the IE has a length field
)

// ErrInformation: an Error Indication lacks a mandatory information
// element or has a malformed one.
var ErrInformation = errors.New("error indication without a usable TEID Data I or GTP-U Peer Address")

// AppendErrorIndication appends an Error Indication (TS 29.281 clause 7.3.1):
// teid and peer are the TEID and the destination address of the G-PDU that
// met no tunnel.
func AppendErrorIndication(b []byte, teid uint32, peer netip.Addr) []byte {
	addr := peer.Unmap().AsSlice()
	b = appendSignal(b, ErrorIndication, 0, 1+4+1+2+len(addr))
	b = binary.BigEndian.AppendUint32(append(b, ieTEIDDataI), teid)
	b = binary.BigEndian.AppendUint16(append(b, iePeerAddress), uint16(len(addr)))
	return append(b, addr...)
}

// ParseErrorIndication reads an Error Indication's payload. The error is
// ErrInformation.
func ParseErrorIndication(payload []byte) (teid uint32, peer netip.Addr, err error) {
	hasTEID := false
	for len(payload) > 0 {
		typ, value, rest, ok := nextIE(payload)
		if !ok {
			break
		}
		switch typ {
		case ieTEIDDataI:
			teid, hasTEID = binary.BigEndian.Uint32(value), true
		case iePeerAddress:
			peer, _ = netip.AddrFromSlice(value)
		}
		payload = rest
	}
	if !hasTEID || !peer.IsValid() {
		return 0, netip.Addr{}, ErrInformation
	}
	return teid, peer, nil
}

// nextIE splits the first information element off. A TV element of a type with
// unknown length ends the walk.
func nextIE(b []byte) (typ byte, value, rest []byte, ok bool) {
	typ, b = b[0], b[1:]
	size := 0
	switch {
	case typ&ieTLV != 0:
		if len(b) < 2 {
			return 0, nil, nil, false
		}
		size, b = int(binary.BigEndian.Uint16(b)), b[2:]
	case typ == ieTEIDDataI:
		size = 4
	case typ == ieRecovery:
		size = 1
	default:
		return 0, nil, nil, false
	}
	if len(b) < size {
		return 0, nil, nil, false
	}
	return typ, b[:size], b[size:], true
}
