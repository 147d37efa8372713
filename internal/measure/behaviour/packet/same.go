package packet

import (
	"bytes"
	"fmt"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// What differs of a T-PDU.
const (
	DiffersInLength   = "inner-length"
	DiffersInChecksum = "inner-checksum" // of the IPv4 header
)

// Difference says in what a T-PDU that arrived differs from the one that was sent, in a word that is
// the same for all packets of a fault and in a sentence; "" when it does not. A router may have taken
// from its TTL.
func Difference(sent, got []byte) (what, why string) {
	switch {
	case len(got) != len(sent):
		return DiffersInLength, fmt.Sprintf("%d octets of inner packet in place of %d", len(got), len(sent))
	case len(sent) < 20:
		return "", ""
	}
	if sent[0]>>4 == 6 {
		return difference(sent, got, 7)
	}
	if checksum.Fold(checksum.Sum(got[:int(sent[0]&0xf)*4])) != 0xffff {
		return DiffersInChecksum, "the inner IPv4 header checksum is wrong"
	}
	return difference(sent, got, 8, 10, 11)
}

// difference compares all but some octets.
func difference(sent, got []byte, but ...int) (what, why string) {
	a, b := bytes.Clone(sent), bytes.Clone(got)
	for _, i := range but {
		a[i], b[i] = 0, 0
	}
	for i := range a {
		if a[i] != b[i] {
			return differsAt(i), fmt.Sprintf("octet %d of the inner packet is %#02x in place of %#02x", i, b[i], a[i])
		}
	}
	return "", ""
}

// differsAt names the header's fields by their octets, and all of the payload by one word.
func differsAt(octet int) string {
	if octet < 20 {
		return fmt.Sprintf("inner-octet-%d", octet)
	}
	return "inner-payload"
}

// TTL is the TTL or hop limit of an IP packet.
func TTL(ip []byte) uint8 {
	if ip[0]>>4 == 6 {
		return ip[7]
	}
	return ip[8]
}
