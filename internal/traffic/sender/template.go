package sender

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// Offsets in a frame. A plain frame's inner packet follows the Ethernet header, a
// G-PDU's the tunnel's headers.
const (
	ethernetBytes = 14
	outerIPCheck  = ethernetBytes + 10
	gnbAt         = ethernetBytes + 12
	outerUDPCheck = ethernetBytes + 20 + 6
	teidAt        = ethernetBytes + 20 + 8 + 4
	pscAt         = teidAt + 4 + 4
	udpAt         = 20 // in the inner packet
	payloadAt     = udpAt + 8
	HeadMax       = ethernetBytes + traffic.TunnelBytes + payloadAt + signature.Bytes
)

// template makes the frames of a flow: those that traffic.Flow.Frame builds, by
// changing what differs from one to the other.
type template struct {
	uplink  bool
	inner   int // offset of the inner IP header
	ueAt    int // of the UE's address
	streams []stream
	shapes  []shape
}

// stream is one session's share of a frame, as it is on the wire.
type stream struct{ ue, teid, psc, gnb [4]byte }

// shape is one kind of packet, as the first stream has it.
type shape struct {
	head  []byte // up to the payload
	body  []byte // behind the signature
	bytes int
	// Sums without the first stream's addresses, TEID and container, not complemented.
	innerIP, outerIP, outerUDP, innerUDP uint64
}

func newTemplate(f *traffic.Flow) *template {
	t := &template{uplink: f.Uplink(), inner: ethernetBytes}
	t.ueAt = t.inner + 16
	if t.uplink {
		t.inner += traffic.TunnelBytes
		t.ueAt = t.inner + 12
	}
	for _, s := range f.Streams {
		w := stream{ue: s.UE.As4(), gnb: f.GNBOf(s).As4()}
		binary.BigEndian.PutUint32(w.teid[:], s.UplinkTEID)
		w.psc = [4]byte{1, 0x10, f.QFIOf(s), 0} // TS 38.415 clause 5.5.2.2
		t.streams = append(t.streams, w)
	}
	for i := range f.Shapes {
		t.shapes = append(t.shapes, t.shape(f, i))
	}
	return t
}

func (t *template) shape(f *traffic.Flow, i int) shape {
	frame, first := f.Frame(f.Streams[0], i), t.streams[0]
	at := t.inner + payloadAt
	s := shape{head: frame[:at:at], body: frame[at+signature.Bytes:], bytes: len(frame)}
	s.innerIP = uint64(^binary.LittleEndian.Uint16(frame[t.inner+10:])) + checksum.Minus(first.ue)
	s.innerUDP = f.UDPSum(f.Streams[0], 0, i) + checksum.Minus(first.ue)
	if t.uplink {
		s.outerIP = uint64(^binary.LittleEndian.Uint16(frame[outerIPCheck:])) + checksum.Minus(first.gnb)
		s.outerUDP = uint64(^binary.LittleEndian.Uint16(frame[outerUDPCheck:])) + checksum.Minus(first.teid) + checksum.Minus(first.psc) +
			checksum.Plus(first.ue) + checksum.Minus(first.gnb)
	}
	return s
}

// build writes a frame's headers and signature and returns how long they are. The
// rest of the frame is the shape's body.
func (t *template) build(b *[HeadMax]byte, session, kind int, sig signature.Signature) int {
	s, k := &t.streams[session], &t.shapes[kind]
	n := copy(b[:], k.head)
	inner := b[t.inner:n]
	copy(b[t.ueAt:], s.ue[:])
	checksum.Put(inner[10:], checksum.Finish(k.innerIP+checksum.Plus(s.ue)))
	if t.uplink {
		copy(b[teidAt:], s.teid[:])
		copy(b[pscAt:], s.psc[:])
		copy(b[gnbAt:], s.gnb[:])
		checksum.Put(b[outerIPCheck:], checksum.Finish(k.outerIP+checksum.Plus(s.gnb)))
		checksum.Put(b[outerUDPCheck:],
			checksum.FinishUDP(k.outerUDP+checksum.Plus(s.teid)+checksum.Plus(s.psc)+checksum.Minus(s.ue)+
				checksum.Plus(s.gnb)))
	}
	sig.Word = signature.Word(session, kind)
	// UDPSum has stream 0's word, which is the shape's alone.
	sum := k.innerUDP + checksum.Plus(s.ue) + uint64(session) + sig.VaryingSum()
	checksum.Put(inner[udpAt+6:], checksum.FinishUDP(sum))
	sig.Put(b[n:])
	return n + signature.Bytes
}
