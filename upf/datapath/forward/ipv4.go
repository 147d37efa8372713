package forward

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Header lengths, octets.
const (
	EthernetBytes = 14
	ipBytes       = 20
	udpBytes      = 8
)

const (
	protocolUDP  = 17
	fragmentBits = 0x3fff // MF and the offset, RFC 791
	offsetBits   = 0x1fff // the offset: 0 in a first fragment
	outerTTL     = 64
)

// ipOf is the IP packet in an untagged frame, with padding; nil when it has none or is
// too short for a header.
func ipOf(frame []byte) []byte {
	if len(frame) < EthernetBytes+ipBytes {
		return nil
	}
	ip := frame[EthernetBytes:]
	switch binary.BigEndian.Uint16(frame[12:]) {
	case etherIPv4:
		if ip[0]>>4 == 4 {
			return ip
		}
	case etherIPv6:
		if ip[0]>>4 == 6 && len(ip) >= ip6Bytes {
			return ip
		}
	}
	return nil
}

// Types of Ethernet frames.
const (
	etherIPv4 = 0x0800
	etherIPv6 = 0x86dd
)

// headerBytes and totalBytes are the lengths that an IPv4 header gives.
func headerBytes(ip []byte) int { return int(ip[0]&0xf) * 4 }
func totalBytes(ip []byte) int  { return int(binary.BigEndian.Uint16(ip[2:])) }

// Length is that of an IP packet of either family, as its header gives it.
func Length(ip []byte) int {
	if isIPv6(ip) {
		return total6Bytes(ip)
	}
	return totalBytes(ip)
}

// fits reports whether the lengths in an IPv4 header are possible, within what
// there is.
func fits(ip []byte) bool {
	total := totalBytes(ip)
	return headerBytes(ip) >= ipBytes && total >= headerBytes(ip) && total <= len(ip)
}

func isFragment(ip []byte) bool { return binary.BigEndian.Uint16(ip[6:])&fragmentBits != 0 }

// isWhole reports whether an IPv4 packet must not be fragmented.
func isWhole(ip []byte) bool { return ip[6]&0x40 != 0 }

func source(ip []byte) [4]byte      { return [4]byte(ip[12:16]) }
func destination(ip []byte) [4]byte { return [4]byte(ip[16:20]) }

// isIntact reports whether the checksum of an IPv4 header, whose length is right, is, too. A
// router drops the packet otherwise (RFC 1812 clause 5.2.2).
func isIntact(ip []byte) bool { return checksum.Fold(checksum.Sum(ip[:headerBytes(ip)])) == 0xffff }

// isUnroutable reports whether an address is neither source nor destination of a packet that is
// routed: this network, loopback, link-local (RFC 3927 clause 2.7), multicast, class E and
// broadcast (RFC 1812 clause 5.3.7).
func isUnroutable(a [4]byte) bool {
	return a[0] == 0 || a[0] == 127 || a[0] >= 224 || a[0] == 169 && a[1] == 254
}

// destinationOf is that of a packet of either family.
func destinationOf(ip []byte) netip.Addr {
	if isIPv6(ip) {
		return netip.AddrFrom16([16]byte(ip[24:40]))
	}
	return netip.AddrFrom4(destination(ip))
}

// Age takes one from the TTL or hop limit of an IP packet.
func Age(ip []byte) {
	if isIPv6(ip) {
		ip[7]--
		return
	}
	checksum.DecrementTTL(ip)
}

// hops is an IP packet's TTL or hop limit.
func hops(ip []byte) byte {
	if isIPv6(ip) {
		return ip[7]
	}
	return ip[8]
}

// PayloadOffset is where in an IP packet, whose lengths are right, its payload
// begins: after the UDP header when there is one.
func PayloadOffset(ip []byte) int {
	if isIPv6(ip) {
		if ip[6] == protocolUDP && len(ip) >= ip6Bytes+udpBytes {
			return ip6Bytes + udpBytes
		}
		return ip6Bytes
	}
	n := headerBytes(ip)
	if ip[9] == protocolUDP && !isFragment(ip) && totalBytes(ip) >= n+udpBytes {
		n += udpBytes
	}
	return n
}
