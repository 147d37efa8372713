package packet

import (
	"encoding/binary"
	"net/netip"
)

// SYN is a TCP segment that asks for a connection, without options.
func SYN(from, to netip.Addr, fromPort, toPort uint16) []byte {
	b := Inner{From: from, To: to, Protocol: TCP, FromPort: fromPort, ToPort: toPort, TTL: 64, ID: toPort | 1, Length: 56}.Bytes(Mark{})
	b = b[:40]
	binary.BigEndian.PutUint16(b[2:], 40)
	putHeaderSum(b)
	tcp := b[20:]
	binary.BigEndian.PutUint32(tcp[8:], 0)
	tcp[12], tcp[13], tcp[16], tcp[17] = 0x50, flagSYN, 0, 0
	p := Inner{From: from, To: to, Protocol: TCP}
	p.putSum(tcp)
	return b
}

const (
	flagSYN = 2
	flagACK = 16
)

// Accepts reports whether a packet says that a port of an address is open, to somebody
// who asked from a port of his own.
func Accepts(ip []byte, from netip.Addr, own uint16) (port uint16, yes bool) {
	if len(ip) < 40 || ip[0]>>4 != 4 || ip[9] != TCP {
		return 0, false
	}
	tcp := ip[int(ip[0]&0xf)*4:]
	source, _ := netip.AddrFromSlice(ip[12:16])
	if len(tcp) < 20 || source != from || binary.BigEndian.Uint16(tcp[2:]) != own || tcp[13]&(flagSYN|flagACK) != flagSYN|flagACK {
		return 0, false
	}
	return binary.BigEndian.Uint16(tcp), true
}

// Datagram is an IPv4 packet of UDP with a payload of its own.
func Datagram(from, to netip.Addr, fromPort, toPort uint16, payload []byte) []byte {
	const headers = 28
	b := Inner{From: from, To: to, Protocol: UDP, FromPort: fromPort, ToPort: toPort, TTL: 64, ID: 1,
		Length: max(headers+len(payload), headers+markBytes)}.Bytes(Mark{})
	b = append(b[:headers:headers], payload...)
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	putHeaderSum(b)
	udp := b[20:]
	udp[6], udp[7] = 0, 0
	p := Inner{From: from, To: to, Protocol: UDP}
	p.putSum(udp)
	return b
}
