package packet

import (
	"bytes"
	"fmt"

	"github.com/upflab/upflab/wire/checksum"
)

// Difference says in what a T-PDU that arrived differs from the one that was sent; ""
// when it does not. A router may have taken from its TTL.
func Difference(sent, got []byte) string {
	switch {
	case len(got) != len(sent):
		return fmt.Sprintf("%d octets of inner packet in place of %d", len(got), len(sent))
	case len(sent) < 20:
		return ""
	}
	if sent[0]>>4 == 6 {
		return difference(sent, got, 7)
	}
	if checksum.Fold(checksum.Sum(got[:int(sent[0]&0xf)*4])) != 0xffff {
		return "the inner IPv4 header checksum is wrong"
	}
	return difference(sent, got, 8, 10, 11)
}

// difference compares all but some octets.
func difference(sent, got []byte, but ...int) string {
	a, b := bytes.Clone(sent), bytes.Clone(got)
	for _, i := range but {
		a[i], b[i] = 0, 0
	}
	for i := range a {
		if a[i] != b[i] {
			return fmt.Sprintf("octet %d of the inner packet is %#02x in place of %#02x", i, b[i], a[i])
		}
	}
	return ""
}

// TTL is the TTL or hop limit of an IP packet.
func TTL(ip []byte) uint8 {
	if ip[0]>>4 == 6 {
		return ip[7]
	}
	return ip[8]
}
