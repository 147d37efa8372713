package offload

import "encoding/binary"

// Header is struct virtio_net_hdr of linux/virtio_net.h, which is before each packet of
// a device with IFF_VNET_HDR.
type Header struct {
	Flags uint8
	GSO   uint8 // GSONone ...
	// HeaderBytes is the length of the packet's headers, from its first octet on.
	HeaderBytes uint16
	// SegmentBytes is how much payload each packet has when it is cut, octets.
	SegmentBytes uint16
	// SumFrom is where what the checksum covers begins, and SumAt where it goes, from
	// SumFrom on; with NeedsChecksum.
	SumFrom, SumAt uint16
}

// HeaderBytes is the length of a Header.
const HeaderBytes = 10

// NeedsChecksum is the flag of a packet whose checksum field holds the sum of the
// pseudo header alone.
const NeedsChecksum = 1

// How a packet is to be cut.
const (
	GSONone  = 0
	GSOTCPv4 = 1
	GSOTCPv6 = 4
	GSOUDP   = 5    // into datagrams, of either version of IP
	gsoECN   = 0x80 // with CWR in the first segment alone
)

// Parse reads a header from the first HeaderBytes of b.
func Parse(b []byte) Header {
	u16 := binary.NativeEndian.Uint16
	return Header{b[0], b[1], u16(b[2:]), u16(b[4:]), u16(b[6:]), u16(b[8:])}
}

// Put writes the header to the first HeaderBytes of b.
func (h Header) Put(b []byte) {
	b[0], b[1] = h.Flags, h.GSO
	for i, x := range [...]uint16{h.HeaderBytes, h.SegmentBytes, h.SumFrom, h.SumAt} {
		binary.NativeEndian.PutUint16(b[2+2*i:], x)
	}
}
