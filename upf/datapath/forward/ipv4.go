package forward

import "encoding/binary"

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

// ipv4Of is the IPv4 packet in an untagged frame, with padding; nil when it has
// none or is too short for a header.
func ipv4Of(frame []byte) []byte {
	if len(frame) < EthernetBytes+ipBytes || frame[12] != 8 || frame[13] != 0 || frame[14]>>4 != 4 {
		return nil
	}
	return frame[EthernetBytes:]
}

// headerBytes and totalBytes are the lengths that an IPv4 header gives.
func headerBytes(ip []byte) int { return int(ip[0]&0xf) * 4 }
func totalBytes(ip []byte) int  { return int(binary.BigEndian.Uint16(ip[2:])) }

// fits reports whether the lengths in an IPv4 header are possible, within what
// there is.
func fits(ip []byte) bool {
	total := totalBytes(ip)
	return headerBytes(ip) >= ipBytes && total >= headerBytes(ip) && total <= len(ip)
}

func isFragment(ip []byte) bool { return binary.BigEndian.Uint16(ip[6:])&fragmentBits != 0 }

func destination(ip []byte) [4]byte { return [4]byte(ip[16:20]) }

// PayloadOffset is where in an IPv4 packet, whose lengths are right, its payload
// begins: after the UDP header when there is one.
func PayloadOffset(ip []byte) int {
	n := headerBytes(ip)
	if ip[9] == protocolUDP && !isFragment(ip) && totalBytes(ip) >= n+udpBytes {
		n += udpBytes
	}
	return n
}
