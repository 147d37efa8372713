package forward

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Exit is a tunnel on N6 that uplink packets leave in: what a FAR's Outer Header Creation of
// UDP/IP or of IP asks for.
type Exit struct {
	Kind    session.Encapsulation
	Peer    netip.Addr
	Port    uint16 // of the peer, with UDP
	Marking uint8  // the outer header's type of service, or traffic class, without the ECN field
	NoECN   bool   // that field is 0, and not the T-PDU's
}

// The protocols of an IP packet in an IP packet.
const (
	ProtocolIPv4 = 4  // RFC 2003
	ProtocolIPv6 = 41 // RFC 2473, RFC 4213
)

// protocol is what the outer IP header says is in it.
func (e *Exit) protocol(tpdu []byte) byte {
	switch {
	case e.Kind.HasUDP():
		return protocolUDP
	case isIPv6(tpdu):
		return ProtocolIPv6
	}
	return ProtocolIPv4
}

// appendOuter appends the outer headers of a T-PDU. The UDP checksum is 0, over IPv4: none.
func (e *Exit) appendOuter(b []byte, n6 *datapath.N6Tunnels, id uint16, tpdu []byte) []byte {
	total := e.Kind.Octets() + len(tpdu)
	at, payload, tos := len(b), total-ipBytes, e.TOS(tpdu)
	if e.Kind.IsIPv6() {
		payload = total - ip6Bytes
		b = binary.BigEndian.AppendUint16(append(b, 0x60|tos>>4, tos<<4, 0, 0), uint16(payload))
		b = append(b, e.protocol(tpdu), outerTTL)
		from, to := n6.Address6.As16(), e.Peer.As16()
		b = append(append(b, from[:]...), to[:]...)
	} else {
		b = binary.BigEndian.AppendUint16(append(b, 0x45, tos), uint16(total))
		b = binary.BigEndian.AppendUint16(b, id)
		b = append(b, 0, 0, outerTTL, e.protocol(tpdu), 0, 0)
		from, to := n6.Address.As4(), e.Peer.As4()
		b = append(append(b, from[:]...), to[:]...)
		checksum.SealIPv4(b[at:])
	}
	if e.Kind.HasUDP() {
		for _, word := range [...]uint16{n6.Port, e.Port, uint16(payload), 0} {
			b = binary.BigEndian.AppendUint16(b, word)
		}
	}
	return b
}

// unwrap takes the outer headers off a packet that comes by a tunnel on N6. What it gives is
// an IP packet cut to its length, and the tunnel's kind. The verdict is Pass where the packet
// is in no such tunnel.
func unwrap(ip []byte, n6 *datapath.N6Tunnels) (tpdu []byte, kind session.Encapsulation, v Verdict) {
	var payload []byte
	var protocol byte
	six := isIPv6(ip)
	if six {
		payload, protocol, v = payloadOf6(ip, n6)
	} else {
		payload, protocol, v = payloadOf4(ip, n6)
	}
	if v != Forward {
		return nil, 0, v
	}
	kind = kindOf(protocol == protocolUDP, six)
	if protocol == protocolUDP {
		if payload, v = portPayload(payload, n6.Port); v != Forward {
			return nil, 0, v
		}
	}
	if tpdu, v = entering(payload, protocol); v == Forward {
		v = decapsulated(tpdu, ECN(ip))
	}
	return tpdu, kind, v
}

// entering is the T-PDU in outer headers that say its protocol: of the family that that is.
func entering(payload []byte, protocol byte) (tpdu []byte, v Verdict) {
	tpdu, v = inner(payload)
	if v == Forward && (protocol == ProtocolIPv4 && isIPv6(tpdu) || protocol == ProtocolIPv6 && !isIPv6(tpdu)) {
		v = Drop(datapath.ReasonMalformedInner)
	}
	return tpdu, v
}

func kindOf(udp, six bool) session.Encapsulation {
	switch {
	case udp && six:
		return session.UDPv6
	case udp:
		return session.UDPv4
	case six:
		return session.IPv6
	}
	return session.IPv4
}

// isTunnelled reports whether packets of a protocol may be in a tunnel.
func isTunnelled(protocol byte, n6 *datapath.N6Tunnels) bool {
	return protocol == protocolUDP && n6.Port != 0 || protocol == ProtocolIPv4 || protocol == ProtocolIPv6
}

// payloadOf4 is what is in an IPv4 packet of a tunnel. Fragments are the kernel's.
func payloadOf4(ip []byte, n6 *datapath.N6Tunnels) (payload []byte, protocol byte, v Verdict) {
	switch {
	case !n6.Address.IsValid() || destination(ip) != n6.Address.As4(), !isTunnelled(ip[9], n6), isFragment(ip):
		return nil, 0, Pass
	case !fits(ip):
		return nil, 0, Drop(datapath.ReasonMalformedOuter)
	}
	return ip[headerBytes(ip):totalBytes(ip)], ip[9], Forward
}

// payloadOf6 is the same of IPv6. What has extension headers is the kernel's.
func payloadOf6(ip []byte, n6 *datapath.N6Tunnels) (payload []byte, protocol byte, v Verdict) {
	switch {
	case !n6.Address6.IsValid() || netip.AddrFrom16([16]byte(ip[24:40])) != n6.Address6, !isTunnelled(ip[6], n6):
		return nil, 0, Pass
	case !fits6(ip):
		return nil, 0, Drop(datapath.ReasonMalformedOuter)
	}
	return ip[ip6Bytes:total6Bytes(ip)], ip[6], Forward
}

// portPayload is that of a UDP datagram to a port.
func portPayload(udp []byte, port uint16) ([]byte, Verdict) {
	switch {
	case len(udp) < udpBytes:
		return nil, Drop(datapath.ReasonMalformedOuter)
	case binary.BigEndian.Uint16(udp[2:]) != port:
		return nil, Pass
	}
	length := int(binary.BigEndian.Uint16(udp[4:]))
	if length < udpBytes || length > len(udp) {
		return nil, Drop(datapath.ReasonMalformedOuter)
	}
	return udp[udpBytes:length], Forward
}
