// Package checksum computes Internet checksums (RFC 1071): in Go here, for BPF
// programs in checksum.h. A test of package wire compares the two.
//
// Sums are unfolded, and made of 16-bit words as a little-endian machine reads
// them from a packet. A checksum made of them is written in the same byte order:
// one's complement sums come out right in either.
package checksum

import (
	"encoding/binary"
	"math/bits"
)

// Sum adds up the 16-bit words of b. An odd last octet is padded with 0. The sum has
// 34 bits at most, so that sums can be added.
func Sum(b []byte) uint64 {
	var sum, carry uint64
	for ; len(b) >= 32; b = b[32:] {
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b), carry)
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b[8:]), carry)
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b[16:]), carry)
		sum, carry = bits.Add64(sum, binary.LittleEndian.Uint64(b[24:]), carry)
	}
	sum = sum>>32 + sum&0xffffffff + carry
	for ; len(b) >= 2; b = b[2:] {
		sum += uint64(binary.LittleEndian.Uint16(b))
	}
	if len(b) == 1 {
		sum += uint64(b[0])
	}
	return sum
}

// Words adds up 16-bit numbers in host order as they are in a packet, big-endian.
func Words(numbers ...uint16) uint64 {
	var sum uint64
	for _, n := range numbers {
		sum += uint64(n<<8 | n>>8)
	}
	return sum
}

// Plus is what four octets add to a sum. Minus takes the same octets out again: all
// ones are nothing in one's complement.
func Plus(b [4]byte) uint64  { return uint64(binary.LittleEndian.Uint32(b[:])) }
func Minus(b [4]byte) uint64 { return uint64(^binary.LittleEndian.Uint32(b[:])) }

// Fold brings a sum to 16 bits with end-around carry. It is 0 only for 0.
func Fold(sum uint64) uint16 {
	for sum > 0xffff {
		sum = sum&0xffff + sum>>16
	}
	return uint16(sum)
}

// Finish makes the checksum of an IPv4 header of its sum.
func Finish(sum uint64) uint16 { return ^Fold(sum) }

// FinishUDP makes the checksum of a UDP datagram of its sum: 0xffff instead of 0,
// which would mean that there is none (RFC 768).
func FinishUDP(sum uint64) uint16 {
	if c := Finish(sum); c != 0 {
		return c
	}
	return 0xffff
}

// Put writes a checksum to the start of b.
func Put(b []byte, checksum uint16) { binary.LittleEndian.PutUint16(b, checksum) }

// SealIPv4 writes the checksum of the IPv4 header that ip begins with.
func SealIPv4(ip []byte) {
	Put(ip[10:], 0)
	Put(ip[10:], Finish(Sum(ip[:int(ip[0]&0xf)*4])))
}

// SealUDP6 writes the checksum of a UDP datagram after an IPv6 header. ip has them, and as much of the
// payload as is not in rest: an even number of octets.
func SealUDP6(ip, rest []byte) {
	const addresses, header, protocol = 8, 40, 17
	udp := ip[header:]
	Put(udp[6:], 0)
	sum := Sum(ip[addresses:]) + Words(protocol, binary.BigEndian.Uint16(ip[4:])) + Sum(rest)
	Put(udp[6:], FinishUDP(sum))
}

// DecrementTTL takes one from the TTL of an IPv4 header and updates its checksum
// (RFC 1624): the TTL is the high octet of its word, so the checksum grows by 0x0100.
func DecrementTTL(ip []byte) {
	ip[8]--
	sum := uint32(binary.BigEndian.Uint16(ip[10:])) + 0x0100
	if sum >= 0xffff { // 0xffff is no header's checksum: it is written as 0
		sum++
	}
	binary.BigEndian.PutUint16(ip[10:], uint16(sum))
}
