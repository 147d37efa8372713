// Package packet builds and reads the packets of behaviour cases: IP packets of UEs and
// of the data network, and what carries them on N3.
package packet

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Protocol numbers (IANA) that cases use.
const (
	ICMP   = 1
	TCP    = 6
	UDP    = 17
	ESP    = 50
	ICMPv6 = 58
	SCTP   = 132
)

// Inner is an IP packet of a UE or of the data network. The zero values that New sets
// are a UDP packet of DefaultLength octets with a TTL of 64.
type Inner struct {
	From, To         netip.Addr
	Protocol         uint8
	FromPort, ToPort uint16 // of UDP, TCP and SCTP
	SPI              uint32 // of ESP
	TOS, TTL         uint8  // traffic class and hop limit of IPv6
	FlowLabel        uint32 // of IPv6
	Length           int    // octets of the whole IP packet
	ID               uint16 // of IPv4
	DontFragment     bool
	Offset           int // of a fragment, octets, a multiple of 8
	MoreFragments    bool
	Options          []byte // of IPv4, a multiple of 4 octets
	BadSum           bool   // the checksum of the IPv4 header is wrong
}

// DefaultLength is that of a packet whose length does not matter, octets.
const DefaultLength = 200

// Mark makes a packet one that can be found again: which run sent it, and its number.
type Mark struct {
	Run    uint64
	Number uint64
}

const markBytes = 16

// Bytes writes the packet with right checksums and the mark in its payload. A length
// that is too short for headers and mark is raised to hold them.
func (p Inner) Bytes(m Mark) []byte {
	body := p.body()
	if p.From.Is6() {
		return p.ipv6(body, m)
	}
	return p.ipv4(body, m)
}

// body is the transport header without its checksum.
func (p *Inner) body() []byte {
	if p.Offset > 0 {
		return nil
	}
	switch p.Protocol {
	case UDP:
		return binary.BigEndian.AppendUint32(p.ports(), 0)
	case TCP:
		return append(p.ports(), 0, 0, 0, 1, 0, 0, 0, 1, 0x50, 0x18, 0x10, 0, 0, 0, 0, 0)
	case SCTP:
		return append(p.ports(), 0, 0, 0, 1, 0, 0, 0, 0)
	case ESP:
		return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, p.SPI), 1)
	case ICMP:
		return []byte{8, 0, 0, 0, 0, 1, 0, 1}
	case ICMPv6:
		return []byte{128, 0, 0, 0, 0, 1, 0, 1}
	}
	return nil
}

func (p *Inner) ports() []byte {
	return binary.BigEndian.AppendUint16(binary.BigEndian.AppendUint16(nil, p.FromPort), p.ToPort)
}

// payload fills the packet up to its length, the mark first.
func (p *Inner) payload(headers int, m Mark) []byte {
	b := make([]byte, max(p.Length-headers, markBytes))
	binary.BigEndian.PutUint64(b, m.Run)
	binary.BigEndian.PutUint64(b[8:], m.Number)
	for i := markBytes; i < len(b); i++ {
		b[i] = byte(i)
	}
	return b
}

func (p *Inner) ipv4(body []byte, m Mark) []byte {
	size := 20 + len(p.Options)
	data := append(body, p.payload(size+len(body), m)...)
	b := make([]byte, size, size+len(data))
	b[0], b[1] = 0x40|byte(size/4), p.TOS
	binary.BigEndian.PutUint16(b[2:], uint16(size+len(data)))
	binary.BigEndian.PutUint16(b[4:], p.ID)
	binary.BigEndian.PutUint16(b[6:], p.flags())
	b[8], b[9] = p.TTL, p.Protocol
	copy(b[12:], p.From.AsSlice())
	copy(b[16:], p.To.AsSlice())
	copy(b[20:], p.Options)
	checksum.SealIPv4(b)
	if p.BadSum {
		b[10] ^= 0x55
	}
	b = append(b, data...)
	p.putSum(b[size:])
	return b
}

func (p *Inner) flags() uint16 {
	f := uint16(p.Offset / 8)
	if p.DontFragment {
		f |= 0x4000
	}
	if p.MoreFragments {
		f |= 0x2000
	}
	return f
}

func (p *Inner) ipv6(body []byte, m Mark) []byte {
	const size = 40
	data := append(body, p.payload(size+len(body), m)...)
	b := make([]byte, size, size+len(data))
	binary.BigEndian.PutUint32(b, 6<<28|uint32(p.TOS)<<20|p.FlowLabel&0xfffff)
	binary.BigEndian.PutUint16(b[4:], uint16(len(data)))
	b[6], b[7] = p.Protocol, p.TTL
	copy(b[8:], p.From.AsSlice())
	copy(b[24:], p.To.AsSlice())
	b = append(b, data...)
	p.putSum(b[size:])
	return b
}
