package calibrator

import "encoding/binary"

// Header lengths, octets.
const (
	ethernetBytes = 14
	ipBytes       = 20
	udpBytes      = 8
)

const (
	protocolUDP  = 17
	fragmentBits = 0x3fff // MF and the offset, RFC 791
	outerTTL     = 64
)

// ipv4Of is the IPv4 packet in an untagged frame, with padding; nil when it has
// none or is too short for a header.
func ipv4Of(frame []byte) []byte {
	if len(frame) < ethernetBytes+ipBytes || frame[12] != 8 || frame[13] != 0 || frame[14]>>4 != 4 {
		return nil
	}
	return frame[ethernetBytes:]
}

// headerBytes and totalBytes are what an IPv4 header says.
func headerBytes(ip []byte) int { return int(ip[0]&0xf) * 4 }
func totalBytes(ip []byte) int  { return int(binary.BigEndian.Uint16(ip[2:])) }

// fits reports whether the lengths in an IPv4 header are possible, within what
// there is.
func fits(ip []byte) bool {
	total := totalBytes(ip)
	return headerBytes(ip) >= ipBytes && total >= headerBytes(ip) && total <= len(ip)
}

func address(b []byte) (a [4]byte) {
	copy(a[:], b)
	return a
}

func source(ip []byte) [4]byte      { return address(ip[12:16]) }
func destination(ip []byte) [4]byte { return address(ip[16:20]) }

// decrementTTL takes one from the TTL and mends the checksum (RFC 1624): the TTL
// is the high octet of its word.
func decrementTTL(ip []byte) {
	ip[8]--
	sum := uint32(binary.BigEndian.Uint16(ip[10:])) + 0x0100
	binary.BigEndian.PutUint16(ip[10:], uint16(sum+sum>>16))
}

// payloadOffset is where in an IPv4 packet its payload begins: behind UDP's
// header when there is one.
func payloadOffset(ip []byte) int {
	n := headerBytes(ip)
	if ip[9] == protocolUDP && binary.BigEndian.Uint16(ip[6:])&fragmentBits == 0 && totalBytes(ip) >= n+udpBytes {
		n += udpBytes
	}
	return n
}

// checksum is RFC 1071's, of an even number of octets.
func checksum(b []byte) uint16 {
	var sum uint32
	for ; len(b) >= 2; b = b[2:] {
		sum += uint32(binary.BigEndian.Uint16(b))
	}
	sum = sum&0xffff + sum>>16
	return ^uint16(sum + sum>>16)
}
