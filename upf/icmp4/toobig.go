// Package icmp4 makes the ICMP messages that a UPF, as a router, answers packets with: one that
// does not fit its tunnel, or N6, and must not be fragmented (RFC 792, RFC 1191), and one whose TTL
// expires.
package icmp4

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
)

const (
	headerMin   = 20
	protocol    = 1
	unreachable = 3
	needed      = 4   // fragmentation needed and DF set
	exceeded    = 11  // time exceeded, code 0: in transit
	minimumMTU  = 68  // RFC 791
	most        = 576 // of the answer, its IP header included (RFC 1812 clause 4.3.2.3)
	before      = 8   // octets of the message before the packet that it is about
	timeToLive  = 64
	df, offset  = 0x4000, 0x1fff
)

// TooBig is the message that an IPv4 packet does not fit a link of so many octets, with as
// much of the packet as fits, and its checksum; nil where none must be sent (RFC 1812 clause
// 4.3.2.7): about one that may be fragmented, that is no first fragment, that is about an
// error itself, or that no single host sent.
func TooBig(packet []byte, mtu int) []byte {
	if !isAnswered(packet) || binary.BigEndian.Uint16(packet[6:])&df == 0 {
		return nil
	}
	return about(packet, unreachable, needed, uint16(max(mtu, minimumMTU)))
}

// about is the message of a type and code about a packet, with a number in its last two octets
// before that.
func about(packet []byte, kind, code byte, number uint16) []byte {
	b := binary.BigEndian.AppendUint16([]byte{kind, code, 0, 0, 0, 0}, number)
	b = append(b, packet[:min(len(packet), most-headerMin-before)]...)
	checksum.Put(b[2:], checksum.Finish(checksum.Sum(b)))
	return b
}

// isAnswered reports whether a message may be sent about a packet at all.
func isAnswered(packet []byte) bool {
	return len(packet) >= headerMin && int(packet[0]&0xf)*4 >= headerMin &&
		binary.BigEndian.Uint16(packet[6:])&offset == 0 && isHost(packet[12:16]) && !isError(packet)
}

// TooBigPacket is TooBig from a UE's router, which has the address, to the UE.
func TooBigPacket(packet []byte, mtu int, router netip.Addr) []byte {
	m := TooBig(packet, mtu)
	if m == nil {
		return nil
	}
	return toUE(packet, m, router)
}

// Expired is the message that a packet has no hops left (RFC 792, RFC 1812 clause 5.3.1); nil where none
// must be sent.
func Expired(packet []byte) []byte {
	if !isAnswered(packet) {
		return nil
	}
	return about(packet, exceeded, 0, 0)
}

// ExpiredPacket is Expired from a UE's router, which has the address, to the UE.
func ExpiredPacket(packet []byte, router netip.Addr) []byte {
	m := Expired(packet)
	if m == nil {
		return nil
	}
	return toUE(packet, m, router)
}

// toUE puts a message about a UE's packet into one to the UE.
func toUE(packet, m []byte, router netip.Addr) []byte {
	b := binary.BigEndian.AppendUint16([]byte{0x45, 0}, uint16(headerMin+len(m)))
	b = append(b, 0, 0, 0, 0, timeToLive, protocol, 0, 0)
	b = append(append(b, router.AsSlice()...), packet[12:16]...)
	checksum.SealIPv4(b)
	return append(b, m...)
}

// isHost reports whether a source address may be that of one host.
func isHost(a []byte) bool { return a[0] != 0 && a[0] != 127 && a[0] < 224 }

// isError reports whether a packet is an ICMP error, as far as can be seen.
func isError(packet []byte) bool {
	at := int(packet[0]&0xf) * 4
	if packet[9] != protocol {
		return false
	}
	if len(packet) <= at {
		return true
	}
	switch packet[at] {
	case 3, 4, 5, 11, 12:
		return true
	}
	return false
}
