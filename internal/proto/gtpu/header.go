package gtpu

import (
	"encoding/binary"
	"errors"
)

// Header is a parsed GTP-U header.
type Header struct {
	Type        MessageType
	TEID        uint32
	HasSequence bool
	Sequence    uint16 // meant when HasSequence
	HasNPDU     bool
	NPDU        uint8 // meant when HasNPDU
	// HasContainer: a PDU session container was among the extension
	// headers; the first one counts.
	HasContainer bool
	Container    Container
	// ContainerOctets is the content of that container as it came, the optional fields
	// included, without its length and next type: a part of the slice that was parsed.
	ContainerOctets []byte
	Extensions      int // how many extension headers there were
	// Unknown is the type of the first extension header that this codec does
	// not know although the sender says an endpoint must (clause 5.2.1); 0 when
	// there is none.
	Unknown uint8
	// Payload is the T-PDU or the information elements: a part of the slice
	// that was parsed, bounded by the header's Length.
	Payload []byte
}

// Faults of a header. Parse returns them bare.
var (
	ErrTruncated = errors.New("GTP-U message is shorter than its header says")
	ErrVersion   = errors.New("GTP version is not 1, or it is GTP'")
	ErrExtension = errors.New("GTP-U extension header of length 0, or more than 8 of them")
)

const maxExtensions = 8

// Parse reads the header of a GTP-U message, the payload of a UDP datagram
// (TS 29.281 clause 5). Octets after the header's Length are ignored. The
// errors are ErrTruncated, ErrVersion and ErrExtension.
func Parse(b []byte) (Header, error) {
	if len(b) < HeaderLen {
		return Header{}, ErrTruncated
	}
	if b[0]&(versionMask|flagPT) != version1|flagPT {
		return Header{}, ErrVersion
	}
	length := int(binary.BigEndian.Uint16(b[2:]))
	if len(b)-HeaderLen < length {
		return Header{}, ErrTruncated
	}
	h := Header{Type: MessageType(b[1]), TEID: binary.BigEndian.Uint32(b[4:])}
	h.Payload = b[HeaderLen : HeaderLen+length]
	if b[0]&flagOptional == 0 {
		return h, nil
	}
	return h, h.parseOptional(b[0])
}

// parseOptional reads the four octets that are there when any of E, S and PN
// is set, and the extension headers after them.
func (h *Header) parseOptional(flags byte) error {
	b := h.Payload
	if len(b) < OptionalLen {
		return ErrTruncated
	}
	if flags&flagS != 0 {
		h.HasSequence, h.Sequence = true, binary.BigEndian.Uint16(b)
	}
	if flags&flagPN != 0 {
		h.HasNPDU, h.NPDU = true, b[2]
	}
	h.Payload = b[OptionalLen:]
	if flags&flagE == 0 {
		return nil
	}
	return h.parseExtensions(b[3])
}

func (h *Header) parseExtensions(next uint8) error {
	for next != extNone {
		if h.Extensions++; h.Extensions > maxExtensions {
			return ErrExtension
		}
		if len(h.Payload) == 0 {
			return ErrTruncated
		}
		size := int(h.Payload[0]) * 4
		switch {
		case size == 0:
			return ErrExtension
		case len(h.Payload) < size:
			return ErrTruncated
		}
		if err := h.extension(next, h.Payload[1:size-1]); err != nil {
			return err
		}
		next, h.Payload = h.Payload[size-1], h.Payload[size:]
	}
	return nil
}

func (h *Header) extension(typ uint8, content []byte) error {
	switch {
	case typ == extPDUSessionContainer: // the last of several counts, as for the XDP programs
		c, err := parseContainer(content)
		h.HasContainer, h.Container = err == nil, c
		h.ContainerOctets = content
		return err
	case typ != extPDUSessionContainer && typ&extNeedsEndpoint != 0 && h.Unknown == 0:
		h.Unknown = typ
	}
	return nil
}
