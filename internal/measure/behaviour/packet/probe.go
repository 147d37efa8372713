package packet

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// SYN is a TCP segment that asks for a connection, without options.
func SYN(from, to netip.Addr, fromPort, toPort uint16) []byte {
	b := Inner{From: from, To: to, Protocol: TCP, FromPort: fromPort, ToPort: toPort, TTL: 64, ID: toPort | 1, Length: 56}.Bytes(Mark{})
	b = b[:40]
	binary.BigEndian.PutUint16(b[2:], 40)
	checksum.SealIPv4(b)
	tcp := b[20:]
	binary.BigEndian.PutUint32(tcp[8:], 0)
	tcp[12], tcp[13], tcp[16], tcp[17] = 0x50, flagSYN, 0, 0
	p := Inner{From: from, To: to, Protocol: TCP}
	p.putSum(tcp)
	return b
}

const (
	flagSYN = 2
	flagRST = 4
	flagACK = 16
)

// Probed says what a packet tells of a SYN that was sent from own, at from, to a port of to.
type Probed uint8

// What it tells.
const (
	Unrelated Probed = iota
	Open             // the port accepts the connection
	Closed           // the port refuses it
	Passed           // the SYN itself: it went on to another network
)

// Probe reads what a packet tells of the SYN to which port.
func Probe(ip []byte, from, to netip.Addr, own uint16) (port uint16, told Probed) {
	tcp := Body4(ip)
	if len(tcp) < 20 || ip[9] != TCP {
		return 0, Unrelated
	}
	source, target := netip.AddrFrom4([4]byte(ip[12:])), netip.AddrFrom4([4]byte(ip[16:]))
	fromPort, toPort, flags := binary.BigEndian.Uint16(tcp), binary.BigEndian.Uint16(tcp[2:]), tcp[13]&(flagSYN|flagRST|flagACK)
	switch {
	case source == from && target == to && fromPort == own && flags == flagSYN:
		return toPort, Passed
	case source != to || toPort != own:
		return 0, Unrelated
	case flags == flagSYN|flagACK:
		return fromPort, Open
	case flags&flagRST != 0:
		return fromPort, Closed
	}
	return 0, Unrelated
}

// Datagram is an IPv4 packet of UDP with a payload of its own.
func Datagram(from, to netip.Addr, fromPort, toPort uint16, payload []byte) []byte {
	const headers = 28
	b := Inner{From: from, To: to, Protocol: UDP, FromPort: fromPort, ToPort: toPort, TTL: 64, ID: 1,
		Length: max(headers+len(payload), headers+markBytes)}.Bytes(Mark{})
	b = append(b[:headers:headers], payload...)
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	checksum.SealIPv4(b)
	udp := b[20:]
	udp[6], udp[7] = 0, 0
	p := Inner{From: from, To: to, Protocol: UDP}
	p.putSum(udp)
	return b
}
