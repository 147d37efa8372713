package sender

import (
	"encoding/binary"
	"slices"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// Offsets in a frame. A plain frame's inner packet follows the Ethernet header, a
// G-PDU's the tunnel's headers.
const (
	ethernetBytes = 14
	outerIPCheck  = ethernetBytes + 10 // of IPv4
	udpBytes      = 8
	HeadMax       = ethernetBytes + traffic.MostTunnelBytes + 40 + udpBytes + signature.Bytes
)

// Offsets from the outer UDP header.
const (
	checkAfter = 6
	teidAfter  = udpBytes + 4
	pscAfter   = teidAfter + 4 + 4
)

// template makes the frames of a flow: those that traffic.Flow.Frame builds, by
// changing what differs from one to the other.
type template struct {
	uplink  bool
	outer   traffic.Layout // of an uplink frame's outer IP header
	gnb     int            // offset of the gNB's address
	udp     int            // offset of the outer UDP header
	inner   int            // offset of the inner IP header
	streams []stream
	kinds   []kind // of the families that the streams have
}

// stream is one address's share of a frame, as it is on the wire.
type stream struct {
	ue        []byte
	plus      uint64 // what ue adds to a sum
	port      uint16 // the inner source port; 0: the shape's
	plusPort  uint64 // likewise
	gnb       []byte
	plusGNB   uint64 // likewise
	teid, psc [4]byte
	kind      int
}

// kind is the frames of one family of IP.
type kind struct {
	layout traffic.Layout
	ueAt   int // of the UE's address
	shapes []shape
}

// shape is one kind of packet, as the family's first stream has it.
type shape struct {
	head  []byte // up to the payload
	body  []byte // behind the signature
	bytes int
	// Sums without the first stream's addresses, port, TEID and container, not complemented.
	innerIP, outerIP, outerUDP, innerUDP uint64
}

func newTemplate(f *traffic.Flow) *template {
	t := &template{uplink: f.Uplink(), inner: ethernetBytes, outer: f.Outer()}
	t.gnb, t.udp = ethernetBytes+t.outer.GNBAt(true), ethernetBytes+t.outer.Bytes
	if t.uplink {
		t.inner += f.TunnelBytes()
	}
	kinds := f.Kinds()
	for _, s := range f.Streams {
		t.streams = append(t.streams, streamOf(f, s, slices.IndexFunc(kinds, func(first traffic.Stream) bool {
			return first.UE.Is6() == s.UE.Is6()
		})))
	}
	for i, first := range kinds {
		k := kind{layout: traffic.LayoutOf(first.UE)}
		k.ueAt = t.inner + f.UEAt(k.layout)
		for n := range f.Shapes {
			k.shapes = append(k.shapes, t.shape(f, first, streamOf(f, first, i), k.layout, n))
		}
		t.kinds = append(t.kinds, k)
	}
	return t
}

func streamOf(f *traffic.Flow, s traffic.Stream, kind int) stream {
	w := stream{ue: s.UE.AsSlice(), port: s.SourcePort, gnb: f.GNBOf(s).AsSlice(), kind: kind}
	w.plus, w.plusPort, w.plusGNB = checksum.Sum(w.ue), checksum.Words(w.port), checksum.Sum(w.gnb)
	binary.BigEndian.PutUint32(w.teid[:], s.UplinkTEID)
	w.psc = [4]byte{1, 0x10, f.QFIOf(s), 0} // TS 38.415 clause 5.5.2.2
	return w
}

// outerUE is what a UE's address adds to the outer UDP datagram. One of IPv4 is in the pseudo-header of
// the inner datagram, which its checksum takes out, and in a header whose checksum does the same. That of
// IPv6 has none, and the two come to nothing.
func (s *stream) outerUE(l traffic.Layout) uint64 {
	if l.Address == 16 {
		return 0
	}
	return minus(s.plus)
}

// minus takes a sum out again.
func minus(sum uint64) uint64 { return uint64(^checksum.Fold(sum)) }

func (t *template) shape(f *traffic.Flow, of traffic.Stream, first stream, l traffic.Layout, i int) shape {
	frame := f.Frame(of, i)
	at := t.inner + l.Bytes + udpBytes
	s := shape{head: frame[:at:at], body: frame[at+signature.Bytes:], bytes: len(frame)}
	s.innerIP = uint64(^binary.LittleEndian.Uint16(frame[t.inner+10:])) + minus(first.plus)
	s.innerUDP = f.UDPSum(of, 0, i) + minus(first.plus) + minus(first.plusPort)
	if t.uplink {
		s.outerIP = uint64(^binary.LittleEndian.Uint16(frame[outerIPCheck:])) + minus(first.plusGNB)
		s.outerUDP = uint64(^binary.LittleEndian.Uint16(frame[t.udp+checkAfter:])) + checksum.Minus(first.teid) + checksum.Minus(first.psc) +
			minus(first.outerUE(l)) + minus(first.plusGNB)
	}
	return s
}

// build writes a frame's headers and signature and returns how long they are. The
// rest of the frame is the shape's body.
func (t *template) build(b *[HeadMax]byte, session, shape int, sig signature.Signature) int {
	s := &t.streams[session]
	family := &t.kinds[s.kind]
	k := &family.shapes[shape]
	n := copy(b[:], k.head)
	inner := b[t.inner:n]
	copy(b[family.ueAt:], s.ue)
	if s.port != 0 {
		binary.BigEndian.PutUint16(inner[family.layout.Bytes:], s.port)
	}
	if family.layout.Address == 4 {
		checksum.Put(inner[10:], checksum.Finish(k.innerIP+s.plus))
	}
	if t.uplink {
		t.tunnel(b, k, s, family.layout)
	}
	sig.Word = signature.Word(session, shape)
	// UDPSum has stream 0's word, which is the shape's alone.
	sum := k.innerUDP + s.plus + s.plusPort + uint64(session) + sig.VaryingSum()
	checksum.Put(inner[family.layout.Bytes+6:], checksum.FinishUDP(sum))
	sig.Put(b[n:])
	return n + signature.Bytes
}

// tunnel writes what the outer headers of a frame have of the stream.
func (t *template) tunnel(b *[HeadMax]byte, k *shape, s *stream, inner traffic.Layout) {
	udp := b[t.udp:]
	copy(udp[teidAfter:], s.teid[:])
	copy(udp[pscAfter:], s.psc[:])
	copy(b[t.gnb:], s.gnb)
	if t.outer.Address == 4 {
		checksum.Put(b[outerIPCheck:], checksum.Finish(k.outerIP+s.plusGNB))
	}
	checksum.Put(udp[checkAfter:],
		checksum.FinishUDP(k.outerUDP+checksum.Plus(s.teid)+checksum.Plus(s.psc)+s.outerUE(inner)+s.plusGNB))
}

// shapeOf is the kind of packet that a stream sends.
func (t *template) shapeOf(session, shape int) *shape {
	return &t.kinds[t.streams[session].kind].shapes[shape]
}
