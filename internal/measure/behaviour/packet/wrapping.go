package packet

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Wrapping is the outer headers of a tunnel on N6: UDP/IP, or IP alone.
type Wrapping struct {
	From, To         netip.Addr
	UDP              bool
	FromPort, ToPort uint16 // with UDP
}

// The protocols of an IP packet in an IP packet (RFC 2003, RFC 2473, RFC 4213).
const (
	ipv4InIP = 4
	ipv6InIP = 41
)

// Bytes is an IP packet in the headers.
func (w Wrapping) Bytes(inner []byte) []byte {
	protocol := byte(ipv4InIP)
	if inner[0]>>4 == 6 {
		protocol = ipv6InIP
	}
	if w.UDP {
		protocol, inner = UDP, datagram(w.From, w.To, w.FromPort, w.ToPort, inner)
	}
	return network(w.From, w.To, protocol, 0, inner)
}

// datagram is UDP with a checksum over IPv6, and without one over IPv4.
func datagram(from, to netip.Addr, fromPort, toPort uint16, payload []byte) []byte {
	udp := make([]byte, 8, 8+len(payload))
	binary.BigEndian.PutUint16(udp, fromPort)
	binary.BigEndian.PutUint16(udp[2:], toPort)
	binary.BigEndian.PutUint16(udp[4:], uint16(8+len(payload)))
	udp = append(udp, payload...)
	if from.Is6() {
		checksum.Put(udp[6:], checksum.FinishUDP(pseudo(from, to, len(udp))+checksum.Sum(udp)))
	}
	return udp
}

// pseudo is the sum of the pseudo header of UDP.
func pseudo(from, to netip.Addr, length int) uint64 {
	return checksum.Sum(from.AsSlice()) + checksum.Sum(to.AsSlice()) + checksum.Words(UDP, uint16(length))
}

// network is an IP packet of a payload, with a TTL of 64.
func network(from, to netip.Addr, protocol, tos uint8, payload []byte) []byte {
	if from.Is6() {
		ip := make([]byte, 40, 40+len(payload))
		ip[0], ip[1], ip[6], ip[7] = 0x60|tos>>4, tos<<4, protocol, 64
		binary.BigEndian.PutUint16(ip[4:], uint16(len(payload)))
		copy(ip[8:], from.AsSlice())
		copy(ip[24:], to.AsSlice())
		return append(ip, payload...)
	}
	ip := make([]byte, 20, 20+len(payload))
	ip[0], ip[1], ip[8], ip[9] = 0x45, tos, 64, protocol
	binary.BigEndian.PutUint16(ip[2:], uint16(20+len(payload)))
	copy(ip[12:], from.AsSlice())
	copy(ip[16:], to.AsSlice())
	checksum.SealIPv4(ip)
	return append(ip, payload...)
}

// Unwrap takes the headers off a packet that has those of w, or says in what it differs. The
// UDP source port may be any where w has none.
func (w Wrapping) Unwrap(ip []byte) (inner []byte, why string) {
	var r Received
	body, protocol, ok := r.network(ip)
	switch {
	case !ok:
		return nil, "it is no IP packet"
	case r.From != w.From:
		return nil, fmt.Sprintf("the outer source is %s in place of %s", r.From, w.From)
	case r.To != w.To:
		return nil, fmt.Sprintf("the outer destination is %s in place of %s", r.To, w.To)
	case w.UDP:
		return w.unwrapUDP(body, protocol)
	case protocol != ipv4InIP && protocol != ipv6InIP:
		return nil, fmt.Sprintf("the outer header's protocol is %d in place of %d or %d", protocol, ipv4InIP, ipv6InIP)
	}
	return body, ""
}

func (w Wrapping) unwrapUDP(body []byte, protocol uint8) (inner []byte, why string) {
	if protocol != UDP || len(body) < 8 || int(binary.BigEndian.Uint16(body[4:])) != len(body) {
		return nil, fmt.Sprintf("it is no UDP datagram: its protocol is %d", protocol)
	}
	from, to, sum := binary.BigEndian.Uint16(body), binary.BigEndian.Uint16(body[2:]), binary.BigEndian.Uint16(body[6:])
	switch {
	case to != w.ToPort:
		return nil, fmt.Sprintf("the UDP port is %d in place of %d", to, w.ToPort)
	case w.FromPort != 0 && from != w.FromPort:
		return nil, fmt.Sprintf("the UDP source port is %d in place of %d", from, w.FromPort)
	case sum == 0 && w.From.Is6():
		return nil, "the UDP checksum is 0, over IPv6"
	case sum != 0 && checksum.Fold(pseudo(w.From, w.To, len(body))+checksum.Sum(body)) != 0xffff:
		return nil, "the UDP checksum is wrong"
	}
	return body[8:], ""
}
