package traffic

import (
	"bytes"
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/signature"
)

const (
	protocolUDP  = 17
	dontFragment = 0x4000
)

// Frame builds the frame of a stream and a shape as it would be with fill where
// the signature goes: byte for byte what scapy makes of
//
//	Ether()/IP()/UDP(2152)/GTP_U_Header(teid)/GTPPDUSessionContainer(type=1, QFI)/IP()/UDP()/payload
//
// with tos=ECN for the second IP(), and IPv6(fl=0, tc=ECN) for it where the UE has IPv6, and for the first one where N3 has. The
// outer UDP checksum is always there: over IPv6 it has to be (RFC 8200 clause 8.1), and to go without,
// both ends would have to agree (RFC 6936 clause 5).
//
// An engine overwrites the first signature.Bytes of the payload and the inner UDP
// checksum. The outer UDP checksum stays right then: the inner datagram, its
// checksum included, always adds up to the same sum.
func (f *Flow) Frame(s Stream, shape int) []byte {
	inner := f.innerPacket(s, shape)
	if !f.Uplink() {
		return append(f.ethernet(FamilyOf(s.UE)), inner...)
	}
	gpdu := append(gtpHeader(s.UplinkTEID, f.QFIOf(s), len(inner)), inner...)
	gnb := f.GNBOf(s)
	ip := f.ip(NotECT, gnb, f.UPF, udpBytes+len(gpdu))
	udp := udpDatagram(gnb, f.UPF, gtpu.Port, gtpu.Port, gpdu)
	return bytes.Join([][]byte{f.ethernet(FamilyOf(f.UPF)), ip, udp}, nil)
}

// UDPSum is the one's complement sum, in host order of a little-endian machine
// and unfolded, of a stream's inner UDP datagram with its pseudo-header but
// without its checksum and without the signature's words that change: trial,
// sequence number and times. session is the stream's index. A pseudo-header of IPv6 (RFC 8200
// clause 8.1) adds up as one of IPv4 does: what it is longer by is 0.
func (f *Flow) UDPSum(s Stream, session, shape int) uint64 {
	inner := f.innerPacket(s, shape)
	udp := inner[LayoutOf(s.UE).Bytes:]
	checksum.Put(udp[6:], 0)
	first := signature.Signature{Word: signature.Word(session, shape)}
	first.Put(udp[udpBytes:])
	source, destination := f.innerEnds(s)
	return pseudoHeaderSum(source, destination, len(udp)) + checksum.Sum(udp)
}

func (f *Flow) innerEnds(s Stream) (source, destination netip.Addr) {
	if f.Uplink() {
		return s.UE, f.DNOf(s)
	}
	return f.DNOf(s), s.UE
}

func (f *Flow) innerPacket(s Stream, shape int) []byte {
	source, destination := f.innerEnds(s)
	h := &f.Shapes[shape]
	payload := append(bytes.Repeat([]byte{signature.Fill}, signature.Bytes), f.Behind(shape)...)
	udp := udpDatagram(source, destination, f.SourcePortOf(s, shape), h.DestinationPort, payload)
	return append(f.ip(f.ECN, source, destination, len(udp)), udp...)
}

// ip is a header of the addresses' family.
func (f *Flow) ip(e ECN, source, destination netip.Addr, payload int) []byte {
	if source.Is6() {
		return ipv6(e, source, destination, payload)
	}
	return f.ipv4(e, source, destination, payload)
}

func (f *Flow) ethernet(family Families) []byte {
	b := make([]byte, 0, ethernetBytes)
	b = append(b, f.Destination...)
	b = append(b, f.Source...)
	if family == IPv6 {
		return append(b, 0x86, 0xdd)
	}
	return append(b, 0x08, 0x00)
}

// gtpHeader is a G-PDU's header (TS 29.281 clause 5.1) with an uplink PDU
// session container (TS 38.415 clause 5.5.2.2).
func gtpHeader(teid uint32, qfi uint8, payload int) []byte {
	b := []byte{0x34, 0xff, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x85, 0x01, 0x10, qfi & 0x3f, 0}
	binary.BigEndian.PutUint16(b[2:], uint16(payload+8))
	binary.BigEndian.PutUint32(b[4:], teid)
	return b
}

// ipv4 is a header with scapy's defaults but for DF and ECN: identification 1, TTL 64.
func (f *Flow) ipv4(e ECN, source, destination netip.Addr, payload int) []byte {
	b := []byte{0x45, byte(e), 0, 0, 0, 1, 0, 0, 64, protocolUDP, 0, 0}
	binary.BigEndian.PutUint16(b[2:], uint16(ipBytes+payload))
	binary.BigEndian.PutUint16(b[6:], f.Fragment())
	b = append(append(b, source.AsSlice()...), destination.AsSlice()...)
	checksum.SealIPv4(b)
	return b
}

// ipv6 is a header (RFC 8200 clause 3) with scapy's defaults but for ECN: hop limit 64, flow label 0.
func ipv6(e ECN, source, destination netip.Addr, payload int) []byte {
	b := []byte{0x60, byte(e) << 4, 0, 0, 0, 0, protocolUDP, 64}
	binary.BigEndian.PutUint16(b[4:], uint16(payload))
	return append(append(b, source.AsSlice()...), destination.AsSlice()...)
}

// Fragment is the flags and the fragment offset of the IPv4 headers.
func (f *Flow) Fragment() uint16 {
	if f.DF {
		return dontFragment
	}
	return 0
}

func udpDatagram(source, destination netip.Addr, sport, dport uint16, payload []byte) []byte {
	b := make([]byte, udpBytes, udpBytes+len(payload))
	binary.BigEndian.PutUint16(b[0:], sport)
	binary.BigEndian.PutUint16(b[2:], dport)
	binary.BigEndian.PutUint16(b[4:], uint16(udpBytes+len(payload)))
	b = append(b, payload...)
	checksum.Put(b[6:], checksum.FinishUDP(pseudoHeaderSum(source, destination, len(b))+checksum.Sum(b)))
	return b
}

func pseudoHeaderSum(source, destination netip.Addr, udp int) uint64 {
	return checksum.Sum(source.AsSlice()) + checksum.Sum(destination.AsSlice()) + checksum.Words(uint16(udp), protocolUDP)
}
