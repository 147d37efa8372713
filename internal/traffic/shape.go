package traffic

import "bytes"

// Shape is one kind of packet.
type Shape struct {
	Payload                     int    // bytes of UDP payload, SignatureBytes..MaxPayload
	SourcePort, DestinationPort uint16 // inner UDP
	// Content is the payload behind the signature, Payload - SignatureBytes long;
	// nil: all Fill.
	Content []byte
}

// Limits of a flow.
const (
	MaxPayload = 8900
	MaxShapes  = 1 << (32 - streamBits)
	MaxStreams = 1 << streamBits
)

// streamBits of a signature's stream word are the session, the rest the shape.
const streamBits = 20

// StreamWord is what a signature says of session and shape.
func StreamWord(session, shape int) uint32 { return uint32(shape)<<streamBits | uint32(session) }

// Header lengths in bytes.
const (
	ethernetBytes = 14
	ipBytes       = 20
	udpBytes      = 8
	gtpBytes      = 8 + 4 + 4 // header, optional fields, PDU session container
)

// TunnelBytes is what a G-PDU with a PDU session container adds to a packet.
const TunnelBytes = ipBytes + udpBytes + gtpBytes

// PayloadBytes is the length of the UDP payload of packets of a shape.
func (f *Flow) PayloadBytes(shape int) int { return f.Shapes[shape].Payload }

// Behind is the payload of a shape behind the signature.
func (f *Flow) Behind(shape int) []byte {
	h := &f.Shapes[shape]
	b := bytes.Repeat([]byte{Fill}, h.Payload-SignatureBytes)
	copy(b, h.Content)
	return b
}

// InnerBytes is the length of the inner IP packet of a shape.
func (f *Flow) InnerBytes(shape int) int { return ipBytes + udpBytes + f.Shapes[shape].Payload }

// FrameBytes is the length of a frame as sent, from the Ethernet header on,
// without FCS.
func (f *Flow) FrameBytes(shape int) int { return f.frameBytes(shape, f.Uplink(), true) }

// RxFrameBytes is the length of a frame as it is to arrive.
func (f *Flow) RxFrameBytes(shape int) int {
	return f.frameBytes(shape, f.Expect.Encapsulated, f.Expect.PSC || f.Expect.Unchanged)
}

func (f *Flow) frameBytes(shape int, encapsulated, psc bool) int {
	n := ethernetBytes + f.InnerBytes(shape)
	switch {
	case encapsulated && psc:
		return n + TunnelBytes
	case encapsulated:
		return n + ipBytes + udpBytes + 8
	}
	return n
}
