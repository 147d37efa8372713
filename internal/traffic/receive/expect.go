package receive

import (
	"bytes"
	"cmp"
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// expectation is what is to arrive.
type expectation struct {
	mac          [6]byte
	encapsulated bool
	outer        traffic.Layout
	upf, gnb     []byte // the outer addresses
	gnbs         bool   // streams differ in their gNB
	fromGNB      bool   // the G-PDU is still the gNB's
	uplink       bool   // the UE is the source of the inner packet
	families     traffic.Families
	fragment     uint16 // of an inner IPv4 header; not 0: DF, with any identification
	ecn          traffic.ECN
	psc          bool
	pscType, qfi uint8 // TS 38.415 clause 5.5.2: type 0 downlink, 1 uplink
	qfis         bool  // streams differ in their QFI
	streams      []stream
	shapes       []shape
}

// stream is one address of a UE, as it is to arrive.
type stream struct {
	layout traffic.Layout
	// source and destination are the inner addresses, and sum is what they and the port add to a checksum.
	source, destination []byte
	port                uint16 // the inner source port; 0: the shape's
	sum                 uint64

	teid uint32
	qfi  uint8
	gnb  []byte
}

func expect(f *traffic.Flow) expectation {
	e := expectation{
		mac: [6]byte(f.Expect.MAC), encapsulated: f.Expect.Encapsulated, uplink: f.Uplink(), families: f.Families(),
		psc: f.Expect.PSC || f.Expect.Unchanged, qfi: f.QFI, qfis: !f.OneQFI(),
		outer: f.Outer(), upf: f.UPF.AsSlice(), gnb: f.GNBs()[0].AsSlice(), gnbs: len(f.GNBs()) > 1, fragment: f.Fragment(), ecn: f.ECN, fromGNB: f.Expect.Unchanged && f.Uplink(),
	}
	if e.fromGNB {
		e.pscType = 1
	}
	for _, s := range f.Streams {
		teid := s.DownlinkTEID
		if e.fromGNB {
			teid = s.UplinkTEID
		}
		x := stream{layout: traffic.LayoutOf(s.UE), source: f.DNOf(s).AsSlice(), destination: s.UE.AsSlice(),
			port: s.SourcePort, teid: teid, qfi: f.QFIOf(s), gnb: f.GNBOf(s).AsSlice()}
		if e.uplink {
			x.source, x.destination = x.destination, x.source
		}
		x.sum = checksum.Sum(x.source) + checksum.Sum(x.destination) + checksum.Words(x.port)
		e.streams = append(e.streams, x)
	}
	e.shapes = shapesOf(f)
	return e
}

// innerIP is the length of the inner IP header at the start of b, by the families that the flow has.
func (e *expectation) innerIP(b []byte) int {
	if e.families == traffic.IPv6 || e.families != traffic.IPv4 && b[0]>>4 == 6 {
		return ip6Bytes
	}
	return ipBytes
}

// checkInner compares the inner IP and UDP headers with the stream's and the
// shape's.
func (e *expectation) checkInner(f *frame, s *stream, k *shape, sig *signature.Signature) {
	in := f.data[f.inner:]
	if f.ip != s.layout.Bytes {
		f.fault(wrongInnerIP) // of the other family: nothing else of it can be right
		return
	}
	if !e.rightHeader(f, in, s, k) {
		f.fault(wrongInnerIP)
	}
	if l := s.layout; !bytes.Equal(in[l.Source:l.Source+l.Address], s.source) ||
		!bytes.Equal(in[l.Destination:l.Destination+l.Address], s.destination) {
		f.fault(wrongInnerAddress)
	}
	udp := in[f.ip:]
	if binary.BigEndian.Uint16(udp) != cmp.Or(s.port, k.sourcePort) || binary.BigEndian.Uint16(udp[2:]) != k.destinationPort ||
		int(binary.BigEndian.Uint16(udp[4:])) != k.udpBytes {
		f.fault(wrongInnerUDP)
	}
	if len(udp) != k.udpBytes {
		f.fault(wrongPayload) // cut short, or with something behind it
	}
	if binary.LittleEndian.Uint16(udp[6:]) != k.checksum(s.sum, sig) {
		f.fault(wrongChecksum)
	}
}

// What an inner packet's TTL or hop limit may be.
const (
	ttlSent  = 64
	ttlLeast = 60
)

// rightClass reports whether a traffic class is the one that was sent or, where that allows it, the mark of congestion.
func (e *expectation) rightClass(f *frame, class byte) bool {
	f.marked = e.ecn != traffic.NotECT && traffic.ECN(class) == traffic.CE
	return e.ecn.Allows(traffic.ECN(class))
}

// rightHeader reports whether an inner IP header is the shape's, but for its addresses.
func (e *expectation) rightHeader(f *frame, in []byte, s *stream, k *shape) bool {
	ttl := in[7]
	if s.layout.Bytes == ip6Bytes {
		head := binary.BigEndian.Uint32(in)
		return head&^classIPv6 == versionIPv6 && e.rightClass(f, byte(head>>20)) && int(binary.BigEndian.Uint16(in[4:])) == k.udpBytes &&
			in[6] == protocolUDP && ttl <= ttlSent && ttl >= ttlLeast
	}
	ttl = in[8]
	return int(binary.BigEndian.Uint16(in[2:])) == ipBytes+k.udpBytes && e.rightClass(f, in[1]) &&
		(e.fragment != 0 || binary.BigEndian.Uint16(in[4:]) == 1) && binary.BigEndian.Uint16(in[6:]) == e.fragment &&
		ttl <= ttlSent && ttl >= ttlLeast && rightChecksum(in)
}
