package receive

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/traffic"
)

// shape is one kind of packet, as it is to arrive.
type shape struct {
	udpBytes                    int    // of the inner datagram
	sourcePort, destinationPort uint16 // that of the source is 0 where streams have their own
	content                     []byte // of the payload, behind the signature; nil: fill
	// staticSum is of the inner UDP datagram with its pseudo-header, but for the
	// addresses, the checksum, the signature, and a port of the stream's own.
	staticSum uint64
}

func shapesOf(f *traffic.Flow) []shape {
	list := make([]shape, len(f.Shapes))
	for i, s := range f.Shapes {
		k := &list[i]
		*k = shape{udpBytes: udpBytes + s.Payload, sourcePort: s.SourcePort, destinationPort: s.DestinationPort, content: s.Content}
		if f.OwnPorts() {
			k.sourcePort = 0
		}
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
	for i := range payload - signature.Bytes {
		b = append(b, k.byteAt(i))
	}
	return checksum.Sum(b)
}

// byteAt is an octet of the payload, counted from behind the signature.
func (k *shape) byteAt(i int) byte {
	if k.content == nil {
		return signature.Fill
	}
	return k.content[i]
}

// checksum is the UDP checksum of the shape's datagram with a signature, of a stream that adds
// that sum.
func (k *shape) checksum(stream uint64, sig *signature.Signature) uint16 {
	return checksum.FinishUDP(k.staticSum + stream + sig.Sum())
}

// holds reports whether what is behind a signature is the shape's content.
func (k *shape) holds(rest []byte) bool {
	if len(rest) != k.udpBytes-udpBytes-signature.Bytes {
		return false
	}
	for i, b := range rest {
		if b != k.byteAt(i) {
			return false
		}
	}
	return true
}
