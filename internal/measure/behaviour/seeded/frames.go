package seeded

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// framed are faults of the GTP-U header of each downlink packet, which can be read all the same or just not.
func framed() []Fault {
	each := func(change func(ip []byte) []byte) func(int, bool, []byte) [][]byte {
		return func(_ int, _ bool, ip []byte) [][]byte {
			if carried(ip) && len(ip) < mtu-8 {
				ip = change(ip)
			}
			return [][]byte{ip}
		}
	}
	seen := append([]string{"far.end-marker.not-asked"}, everywhereSeen...)
	const next, content, length = atInner - 1, atContainer + 1, 30 // of GTP-U
	return []Fault{
		{Name: "an unknown extension header has to be comprehended", Row: "gtpu.outer.extensions", Also: seen,
			Leaving: each(func(ip []byte) []byte {
				ip[next] = 0xc1
				return grown(ip, atInner, true, 1, 0, 0, 0)
			})},
		{Name: "the PDU session container comes twice", Row: "gtpu.outer.extensions", Also: seen,
			Leaving: each(func(ip []byte) []byte {
				ip[next] = 0x85
				return grown(ip, atInner, true, 1, ip[content], ip[atQFI], 0)
			})},
		{Name: "QMP is set without a time stamp", Row: "gtpu.outer.container", Also: seen,
			Leaving: each(func(ip []byte) []byte { ip[content] |= 1 << 3; return ip })},
		{Name: "four octets follow the GTP-U message", Row: "gtpu.outer.header", Also: seen,
			Leaving: each(func(ip []byte) []byte { return grown(ip, len(ip), false, 0, 0, 0, 0) })},
		{Name: "the length of GTP-U is four too much", Row: "gtpu.outer.header",
			Also: seen,
			Leaving: each(func(ip []byte) []byte {
				binary.BigEndian.PutUint16(ip[length:], binary.BigEndian.Uint16(ip[length:])+4)
				clear(ip[26:28])
				return ip
			})},
	}
}

// grown puts octets into a G-PDU, which are in the lengths of IP and UDP, and in that of GTP-U where they belong to it.
func grown(ip []byte, at int, inMessage bool, octets ...byte) []byte {
	out := append(append(append([]byte(nil), ip[:at]...), octets...), ip[at:]...)
	more := uint16(len(octets))
	binary.BigEndian.PutUint16(out[2:], uint16(len(out)))
	binary.BigEndian.PutUint16(out[24:], binary.BigEndian.Uint16(out[24:])+more)
	if inMessage {
		binary.BigEndian.PutUint16(out[30:], binary.BigEndian.Uint16(out[30:])+more)
	}
	clear(out[26:28]) // no UDP checksum
	checksum.SealIPv4(out[:20])
	return out
}
