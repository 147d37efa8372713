package afpacket

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/traffic"
)

// Offsets in a frame. A plain frame's inner packet follows the Ethernet header, a
// G-PDU's the tunnel's headers.
const (
	ethernetBytes = 14
	outerUDPCheck = ethernetBytes + 20 + 6
	teidAt        = ethernetBytes + 20 + 8 + 4
	udpAt         = 20 // in the inner packet
	payloadAt     = udpAt + 8
	signatureMax  = ethernetBytes + traffic.TunnelBytes + payloadAt + traffic.SignatureBytes
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
type stream struct{ ue, teid [4]byte }

// shape is one kind of packet, as the first stream has it.
type shape struct {
	head  []byte // up to the payload
	body  []byte // behind the signature
	bytes int
	// Sums without the first stream's address and TEID, not complemented.
	innerIP, outerUDP, innerUDP uint64
}

func newTemplate(f *traffic.Flow) *template {
	t := &template{uplink: f.Uplink(), inner: ethernetBytes}
	t.ueAt = t.inner + 16
	if t.uplink {
		t.inner += traffic.TunnelBytes
		t.ueAt = t.inner + 12
	}
	for _, s := range f.Streams {
		w := stream{ue: s.UE.As4()}
		binary.BigEndian.PutUint32(w.teid[:], s.UplinkTEID)
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
	s := shape{head: frame[:at:at], body: frame[at+traffic.SignatureBytes:], bytes: len(frame)}
	s.innerIP = uint64(^binary.LittleEndian.Uint16(frame[t.inner+10:])) + minus(first.ue)
	s.innerUDP = f.UDPSum(f.Streams[0], 0, i) + minus(first.ue)
	if t.uplink {
		s.outerUDP = uint64(^binary.LittleEndian.Uint16(frame[outerUDPCheck:])) + minus(first.teid) + plus(first.ue)
	}
	return s
}

// plus is what four octets add to a sum of 16-bit words; minus takes it away again,
// for 0xffffffff is nothing in one's complement.
func plus(b [4]byte) uint64  { return uint64(binary.LittleEndian.Uint32(b[:])) }
func minus(b [4]byte) uint64 { return uint64(^binary.LittleEndian.Uint32(b[:])) }

// signature is what a frame's differs in.
type signature struct {
	trial               uint16
	seq, intended, sent uint64
}

// build writes a frame's headers and signature and returns how long they are. The
// rest of the frame is the shape's body.
func (t *template) build(b *[signatureMax]byte, session, kind int, sig signature) int {
	s, k := &t.streams[session], &t.shapes[kind]
	n := copy(b[:], k.head)
	inner := b[t.inner:n]
	copy(b[t.ueAt:], s.ue[:])
	binary.LittleEndian.PutUint16(inner[10:], ^fold(k.innerIP+plus(s.ue)))
	if t.uplink {
		copy(b[teidAt:], s.teid[:])
		binary.LittleEndian.PutUint16(b[outerUDPCheck:], checksum(k.outerUDP+plus(s.teid)+minus(s.ue)))
	}
	word := traffic.StreamWord(session, kind)
	// UDPSum has stream 0's word, which is the shape's alone.
	sum := k.innerUDP + plus(s.ue) + uint64(session) + uint64(sig.trial)
	for _, w := range [...]uint64{sig.seq, sig.intended, sig.sent} {
		sum += w&0xffffffff + w>>32
	}
	binary.LittleEndian.PutUint16(inner[udpAt+6:], checksum(sum))
	sign(b[n:n+traffic.SignatureBytes], word, sig)
	return n + traffic.SignatureBytes
}

const signatureMagic = 0x7566

func sign(b []byte, word uint32, sig signature) {
	_ = b[traffic.SignatureBytes-1]
	binary.LittleEndian.PutUint16(b, signatureMagic)
	binary.LittleEndian.PutUint16(b[2:], sig.trial)
	binary.LittleEndian.PutUint32(b[4:], word)
	binary.LittleEndian.PutUint64(b[8:], sig.seq)
	binary.LittleEndian.PutUint64(b[16:], sig.intended)
	binary.LittleEndian.PutUint64(b[24:], sig.sent)
}

// checksum finishes a UDP checksum; 0 would mean "none" (RFC 768).
func checksum(sum uint64) uint16 {
	if c := ^fold(sum); c != 0 {
		return c
	}
	return 0xffff
}

// fold brings a sum to 16 bits with end-around carry (RFC 1071).
func fold(sum uint64) uint16 {
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return uint16(sum)
}
