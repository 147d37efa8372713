package packet

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// HeaderSumRight reports whether the checksum of an IPv4 header is right; IPv6 has none.
func HeaderSumRight(ip []byte) bool {
	return ip[0]>>4 != 4 || checksum.Fold(checksum.Sum(ip[:int(ip[0]&0xf)*4])) == 0xffff
}

// UDPSumRight reports whether the checksum of the UDP datagram in an IP packet is right, or there is
// none, which IPv4 allows (RFC 768). Fragments are not looked at.
func UDPSumRight(ip []byte) bool {
	var r Received
	udp, protocol, ok := r.network(ip)
	if !ok || protocol != UDP || r.Fragment || len(udp) < 8 {
		return true
	}
	length := int(binary.BigEndian.Uint16(udp[4:]))
	if length < 8 || length > len(udp) {
		return false
	}
	if udp[6] == 0 && udp[7] == 0 {
		return ip[0]>>4 == 4
	}
	return checksum.Fold(pseudo(r.From, r.To, length)+checksum.Sum(udp[:length])) == 0xffff
}
