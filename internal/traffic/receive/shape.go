package receive

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/traffic"
)

// shape is one kind of packet, as it is to arrive.
type shape struct {
	ipBytes, udpBytes           int // of the inner packet
	sourcePort, destinationPort uint16
	content                     []byte // of the payload, behind the signature; nil: fill
	// staticSum is of the inner UDP datagram with its pseudo-header, but for the
	// addresses, the checksum and the signature.
	staticSum uint64
}

func shapesOf(f *traffic.Flow) []shape {
	list := make([]shape, len(f.Shapes))
	for i, s := range f.Shapes {
		k := &list[i]
		*k = shape{ipBytes: f.InnerBytes(i), udpBytes: f.InnerBytes(i) - ipBytes,
			sourcePort: s.SourcePort, destinationPort: s.DestinationPort, content: s.Content}
		k.staticSum = staticSum(k, s.Payload)
	}
	return list
}

func staticSum(k *shape, payload int) uint64 {
	b := make([]byte, 0, udpBytes+payload)
	b = append(b, 0, protocolUDP) // of the pseudo-header, with the length
	for _, v := range []int{k.udpBytes, int(k.sourcePort), int(k.destinationPort), k.udpBytes} {
		b = binary.BigEndian.AppendUint16(b, uint16(v))
	}
	for i := range payload - traffic.SignatureBytes {
		b = append(b, k.byteAt(i))
	}
	var sum uint64
	for ; len(b) >= 2; b = b[2:] {
		sum += uint64(binary.LittleEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint64(b[0])
	}
	return sum
}

// byteAt is an octet of the payload, counted from behind the signature.
func (k *shape) byteAt(i int) byte {
	if k.content == nil {
		return traffic.Fill
	}
	return k.content[i]
}

// checksum is the UDP checksum, as a little-endian machine reads it, of the
// shape's datagram with a signature.
func (k *shape) checksum(source, destination [4]byte, sig *signature) uint16 {
	sum := k.staticSum + le32(source) + le32(destination)
	sum += uint64(sig.magic) + uint64(sig.trial) + uint64(sig.stream)
	for _, w := range [...]uint64{sig.seq, sig.intended, sig.sent} {
		sum += w&0xffffffff + w>>32
	}
	if c := ^fold(sum); c != 0 {
		return c
	}
	return 0xffff // 0 means no checksum (RFC 768)
}

func le32(a [4]byte) uint64 { return uint64(binary.LittleEndian.Uint32(a[:])) }

// holds reports whether what is behind a signature is the shape's content.
func (k *shape) holds(rest []byte) bool {
	if len(rest) != k.udpBytes-udpBytes-traffic.SignatureBytes {
		return false
	}
	for i, b := range rest {
		if b != k.byteAt(i) {
			return false
		}
	}
	return true
}
