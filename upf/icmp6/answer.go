package icmp6

import (
	"encoding/binary"
	"net/netip"
)

// Router is the router's address on each UE's link.
var Router = netip.AddrFrom16([16]byte{0: 0xfe, 1: 0x80, 15: 1})

// allNodes is the multicast address of all nodes of a link.
var allNodes = netip.AddrFrom16([16]byte{0: 0xff, 1: 2, 15: 1})

// Types of messages.
const (
	typeTooBig                = 2
	typeTimeExceeded          = 3
	typeRouterSolicitation    = 133
	typeRouterAdvertisement   = 134
	typeNeighbourSolicitation = 135
	typeNeighbourAdvertised   = 136
)

const (
	ipBytes     = 40
	protocol    = 58
	hopLimit    = 255 // of neighbour discovery: it was not routed (RFC 4861 clause 3.1)
	lifetime    = 9000
	minimumMTU  = 1280
	errorBefore = 8 // octets of an error message before the packet that it is about
)

// Answer is the packet that a router answers a packet of the UE's link with; nil: none.
// prefix is that of the UE.
func Answer(packet []byte, prefix netip.Prefix) []byte {
	m := message(packet)
	if m == nil {
		return nil
	}
	from := netip.AddrFrom16([16]byte(packet[8:24]))
	switch m[0] {
	case typeRouterSolicitation:
		if from.IsUnspecified() {
			from = allNodes
		}
		return packetOf(Router, from, hopLimit, advertisement(prefix))
	case typeNeighbourSolicitation:
		if len(m) < 24 || netip.AddrFrom16([16]byte(m[8:24])) != Router || from.IsUnspecified() {
			return nil
		}
		const routerSolicited = 0xc0
		answer := append([]byte{typeNeighbourAdvertised, 0, 0, 0, routerSolicited, 0, 0, 0}, m[8:24]...)
		return packetOf(Router, from, hopLimit, answer)
	}
	return nil
}

// message is the neighbour discovery message in a packet, valid as RFC 4861 clauses 6.1.1
// and 7.1.1 want it; nil: there is none.
func message(packet []byte) []byte {
	if len(packet) < ipBytes+8 || packet[6] != protocol || packet[7] != hopLimit {
		return nil
	}
	m := packet[ipBytes:]
	if int(binary.BigEndian.Uint16(packet[4:])) != len(m) || m[1] != 0 || sumOf(packet) != 0xffff {
		return nil
	}
	return m
}

// advertisement is a Router Advertisement: addresses are made of the prefix, which is not
// of the link but of the UE alone, for ever. There is none for less than 64 bits of it.
func advertisement(prefix netip.Prefix) []byte {
	b := []byte{typeRouterAdvertisement, 0, 0, 0, 64, 0}
	b = binary.BigEndian.AppendUint16(b, lifetime)
	b = append(b, make([]byte, 8)...) // reachable time, retransmission timer: not given
	if prefix.Bits() > 64 {
		return b
	}
	const option, autonomous = 3, 0x40
	b = append(b, option, 4, 64, autonomous, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)
	return append(b, prefix.Addr().AsSlice()...)
}

// TooBig is the ICMPv6 message that a packet does not fit a link, with as much of it as
// fits, and without a checksum; nil where none must be sent (RFC 4443 clause 2.4).
func TooBig(packet []byte, mtu int) []byte {
	return about(packet, typeTooBig, uint32(max(mtu, minimumMTU)))
}

// about is an error message of a type about a packet, with a number before that.
func about(packet []byte, kind byte, number uint32) []byte {
	if len(packet) < ipBytes || packet[8] == 0xff || [16]byte(packet[8:24]) == [16]byte{} || isError(packet) {
		return nil
	}
	b := binary.BigEndian.AppendUint32([]byte{kind, 0, 0, 0}, number)
	return append(b, packet[:min(len(packet), minimumMTU-ipBytes-errorBefore)]...)
}

// TooBigPacket is TooBig from a UE's router to the UE.
func TooBigPacket(packet []byte, mtu int) []byte {
	return toUE(packet, TooBig(packet, mtu))
}

// Expired is the ICMPv6 message that a packet has no hops left (RFC 4443 clause 3.3), without a
// checksum; nil where none must be sent.
func Expired(packet []byte) []byte { return about(packet, typeTimeExceeded, 0) }

// ExpiredPacket is Expired from a UE's router to the UE.
func ExpiredPacket(packet []byte) []byte { return toUE(packet, Expired(packet)) }

// toUE puts a message about a UE's packet into one to the UE; nil: there is none.
func toUE(packet, m []byte) []byte {
	if m == nil {
		return nil
	}
	return packetOf(Router, netip.AddrFrom16([16]byte(packet[8:24])), 64, m)
}

func isError(packet []byte) bool {
	return packet[6] == protocol && len(packet) > ipBytes && packet[ipBytes] < 128
}
