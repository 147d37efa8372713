package forward

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
)

// address is the peer's.
func (t *Tunnel) address() netip.Addr {
	if t.Peer6.IsValid() {
		return t.Peer6
	}
	return netip.AddrFrom4(t.Peer)
}

// Address is where the tunnel ends.
func (t Tunnel) Address() netip.Addr { return t.address() }

// datagram6 is the payload of the UDP datagram to our GTP-U port in an IPv6 packet.
func datagram6(ip []byte, n3 netip.Addr) ([]byte, Verdict) {
	if !n3.IsValid() || netip.AddrFrom16([16]byte(ip[24:40])) != n3 {
		return nil, Pass
	}
	if !fits6(ip) {
		return nil, Drop(datapath.ReasonMalformedOuter)
	}
	if ip[6] != protocolUDP {
		return nil, Pass // fragments too, and whatever else has extension headers
	}
	udp := ip[ip6Bytes:total6Bytes(ip)]
	if len(udp) < udpBytes {
		return nil, Drop(datapath.ReasonMalformedOuter)
	}
	if binary.BigEndian.Uint16(udp[2:]) != gtpu.Port {
		return nil, Pass
	}
	length := int(binary.BigEndian.Uint16(udp[4:]))
	if length < udpBytes || length > len(udp) {
		return nil, Drop(datapath.ReasonMalformedOuter)
	}
	return udp[udpBytes:length], Forward
}

// appendOuter6 appends the outer IPv6 and UDP headers of a T-PDU, without
// the checksum.
func (t *Tunnel) appendOuter6(b []byte, n3 netip.Addr, container, tpdu []byte) []byte {
	length, tos := t.outerBytes(container)-ip6Bytes+len(tpdu), t.TOS(tpdu)
	b = binary.BigEndian.AppendUint16(append(b, 0x60|tos>>4, tos<<4, 0, 0), uint16(length))
	b = append(b, protocolUDP, outerTTL)
	from, to := n3.As16(), t.Peer6.As16()
	b = append(append(b, from[:]...), to[:]...)
	for _, word := range [...]uint16{gtpu.Port, gtpu.Port, uint16(length), 0} {
		b = binary.BigEndian.AppendUint16(b, word)
	}
	return b
}

// seal writes the outer UDP checksum, which IPv6 wants (RFC 8200 clause 8.1), into the
// head of a frame with a T-PDU.
func seal(head, tpdu []byte) { checksum.SealUDP6(head[EthernetBytes:], tpdu) }
