package xdp

import "github.com/upflab/upflab/wire/checksum"

// outerTTL is OUTER_TTL of bpf/downlink.h.
const outerTTL = 64

// outerSum adds up the 16-bit words of the outer IPv4 header that are the same
// in every packet, in host order and unfolded (RFC 1071). The program adds
// length, identification and destination.
func outerSum(source [4]byte) uint32 {
	header := [20]byte{0: 0x45, 8: outerTTL, 9: 17}
	copy(header[12:16], source[:])
	return uint32(checksum.Sum(header[:]))
}
