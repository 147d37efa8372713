package traffic

import (
	"bytes"

	"github.com/upflab/upflab/internal/proto/signature"
)

// Shape is one kind of packet.
type Shape struct {
	Payload                     int    // bytes of UDP payload, signature.Bytes..MaxPayload
	SourcePort, DestinationPort uint16 // inner UDP
	// Content is the payload behind the signature, Payload - signature.Bytes long;
	// nil: all signature.Fill.
	Content []byte
}

// Limits of a flow.
const (
	MaxPayload = 8900
	MaxShapes  = 1 << (32 - signature.SessionBits)
	MaxStreams = 1 << signature.SessionBits
)

// Header lengths in bytes.
const (
	ethernetBytes = 14
	ipBytes       = 20
	ip6Bytes      = 40
	udpBytes      = 8
	gtpBytes      = 8 + 4 + 4 // header, optional fields, PDU session container
)

// TunnelBytes is what a G-PDU with a PDU session container adds to a packet where N3 has IPv4;
// MostTunnelBytes is that of IPv6.
const (
	TunnelBytes     = ipBytes + udpBytes + gtpBytes
	MostTunnelBytes = ip6Bytes + udpBytes + gtpBytes
)

// TunnelBytes is what the flow's G-PDUs add to a packet.
func (f *Flow) TunnelBytes() int { return f.Outer().Bytes + udpBytes + gtpBytes }

// PayloadBytes is the length of the UDP payload of packets of a shape.
func (f *Flow) PayloadBytes(shape int) int { return f.Shapes[shape].Payload }

// Behind is the payload of a shape behind the signature.
func (f *Flow) Behind(shape int) []byte {
	h := &f.Shapes[shape]
	b := bytes.Repeat([]byte{signature.Fill}, h.Payload-signature.Bytes)
	copy(b, h.Content)
	return b
}

// InnerBytes is the length of the inner IP packet of a stream and a shape.
func (f *Flow) InnerBytes(s Stream, shape int) int {
	return LayoutOf(s.UE).Bytes + udpBytes + f.Shapes[shape].Payload
}

// FrameBytes is the length of a frame as sent, from the Ethernet header on,
// without FCS.
func (f *Flow) FrameBytes(s Stream, shape int) int { return f.frameBytes(s, shape, f.Uplink(), true) }

// RxFrameBytes is the length of a frame as it is to arrive.
func (f *Flow) RxFrameBytes(s Stream, shape int) int {
	return f.frameBytes(s, shape, f.Expect.Encapsulated, f.Expect.PSC || f.Expect.Unchanged)
}

func (f *Flow) frameBytes(s Stream, shape int, encapsulated, psc bool) int {
	n := ethernetBytes + f.InnerBytes(s, shape)
	switch {
	case encapsulated && psc:
		return n + f.TunnelBytes()
	case encapsulated:
		return n + f.Outer().Bytes + udpBytes + 8
	}
	return n
}
