package gtpu

import "encoding/binary"

// AppendGPDUHeader appends the header of a G-PDU that carries size octets,
// with a PDU session container when c is not nil. Size is 0..MaxPayload; a
// larger one does not fit the Length field and is the caller's mistake.
func AppendGPDUHeader(b []byte, teid uint32, c *Container, size int) []byte {
	if c == nil {
		return appendHeader(b, 0, GPDU, teid, size)
	}
	first, second := c.octets()
	return AppendGPDUHeaderWith(b, teid, []byte{first, second}, size)
}

// AppendGPDUHeaderWith is AppendGPDUHeader for a PDU session container whose content is given as
// Header.ContainerOctets has it: 4n-2 octets, of which n is 1..255.
func AppendGPDUHeaderWith(b []byte, teid uint32, container []byte, size int) []byte {
	length := len(container) + 2
	b = appendHeader(b, flagE, GPDU, teid, size+OptionalLen+length)
	b = append(b, 0, 0, 0, extPDUSessionContainer, byte(length/4))
	return append(append(b, container...), extNone)
}

// AppendGPDU appends a G-PDU (TS 29.281 clause 6.1) with its T-PDU.
func AppendGPDU(b []byte, teid uint32, c *Container, tpdu []byte) []byte {
	return append(AppendGPDUHeader(b, teid, c, len(tpdu)), tpdu...)
}

// AppendEndMarker appends an End Marker for the tunnel (clause 7.3.2).
func AppendEndMarker(b []byte, teid uint32) []byte {
	return appendHeader(b, 0, EndMarker, teid, 0)
}

// AppendEchoRequest appends an Echo Request (clause 7.2.1).
func AppendEchoRequest(b []byte, sequence uint16) []byte {
	return appendSignal(b, EchoRequest, sequence, 0)
}

// AppendEchoResponse appends an Echo Response to the request with the sequence
// number. Its restart counter is 0, as clause 7.2.2 asks.
func AppendEchoResponse(b []byte, sequence uint16) []byte {
	b = appendSignal(b, EchoResponse, sequence, 2)
	return append(b, ieRecovery, 0)
}

// AppendSupportedExtensionHeaders appends a Supported Extension Headers Notification
// (clause 7.2.3): the PDU session container is what this codec knows. The sequence
// number is that of the message it answers.
func AppendSupportedExtensionHeaders(b []byte, sequence uint16) []byte {
	b = appendSignal(b, SupportedExtensionHeaders, sequence, 3)
	return append(b, ieExtensionTypes, 1, extPDUSessionContainer)
}

// appendSignal appends the header of a signalling message: TEID 0, and a
// sequence number (clause 5.1).
func appendSignal(b []byte, t MessageType, sequence uint16, size int) []byte {
	b = appendHeader(b, flagS, t, 0, size+OptionalLen)
	b = binary.BigEndian.AppendUint16(b, sequence)
	return append(b, 0, extNone)
}

func appendHeader(b []byte, flags byte, t MessageType, teid uint32, length int) []byte {
	b = append(b, version1|flagPT|flags, byte(t))
	b = binary.BigEndian.AppendUint16(b, uint16(length))
	return binary.BigEndian.AppendUint32(b, teid)
}
