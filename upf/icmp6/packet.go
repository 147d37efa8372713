package icmp6

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// packetOf is an IPv6 packet with an ICMPv6 message, and its checksum.
func packetOf(from, to netip.Addr, hops byte, message []byte) []byte {
	b := make([]byte, 0, ipBytes+len(message))
	b = binary.BigEndian.AppendUint16(append(b, 0x60, 0, 0, 0), uint16(len(message)))
	b = append(b, protocol, hops)
	b = append(append(b, from.AsSlice()...), to.AsSlice()...)
	b = append(b, message...)
	checksum.Put(b[ipBytes+2:], ^sumOf(b))
	return b
}

// sumOf adds up what the checksum of an ICMPv6 packet covers: 0xffff when it is right.
func sumOf(packet []byte) uint16 {
	m := packet[ipBytes:]
	return checksum.Fold(checksum.Sum(packet[8:ipBytes]) + checksum.Words(protocol, uint16(len(m))) + checksum.Sum(m))
}
