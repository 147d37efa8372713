package offload

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// flow is what of a packet says whether it can be merged, and with which.
type flow struct {
	key   [13]byte // addresses, ports, protocol
	shape [12]byte // what packets of one run have in common

	mergeable  bool
	tcp, push  bool
	unnumbered bool // its identification means nothing: it must not be fragmented (RFC 6864)
	headers    int  // octets
	payload    int
	id         uint16
	sequence   uint32
}

// flowOf reads an IPv4 packet that is as long as its header says. Options of IP,
// fragments, and TCP that is more than data and an acknowledgement are left alone.
func flowOf(ip []byte) (f flow) {
	const fragment, dontFragment = 0x3fff, 0x40
	if len(ip) < 28 || ip[0] != 0x45 {
		return f
	}
	copy(f.key[:], ip[12:24])
	f.key[12] = ip[9]
	if binary.BigEndian.Uint16(ip[6:])&fragment != 0 {
		return f
	}
	f.id, f.unnumbered = binary.BigEndian.Uint16(ip[4:]), ip[6]&dontFragment != 0
	f.shape[0], f.shape[1], f.shape[2] = ip[1], ip[8], ip[6] // TOS, TTL, DF
	switch {
	case ip[9] == protocolUDP:
		f.udp(ip)
	case ip[9] == protocolTCP && len(ip) >= 40:
		f.readTCP(ip)
	}
	f.mergeable = f.mergeable && f.payload > 0
	return f
}

// hash spreads flows.
func (f *flow) hash() uint64 {
	const odd1, odd2 = 0x9e3779b97f4a7c15, 0xc2b2ae3d27d4eb4f
	x := binary.NativeEndian.Uint64(f.key[:])*odd1 ^ binary.NativeEndian.Uint64(f.key[5:])*odd2
	return (x ^ x>>29) * odd1 >> 40
}

// udp: a datagram without a checksum would get one when it is cut.
func (f *flow) udp(ip []byte) {
	f.headers, f.payload = 28, len(ip)-28
	f.mergeable = int(binary.BigEndian.Uint16(ip[24:])) == len(ip)-20 && (ip[26] != 0 || ip[27] != 0)
}

func (f *flow) readTCP(ip []byte) {
	f.tcp = true
	f.headers = 20 + int(ip[32]>>4)*4
	if f.headers < 40 || f.headers > len(ip) {
		return
	}
	f.payload = len(ip) - f.headers
	f.push = ip[33]&tcpPSH != 0
	f.sequence = binary.BigEndian.Uint32(ip[24:])
	f.mergeable = ip[33]&^tcpPSH == tcpACK
	copy(f.shape[3:], ip[28:33]) // the acknowledgement, the header's length
	copy(f.shape[8:], ip[34:36]) // the window
}

// rightSum reports whether the checksum of an unchanged packet is right: when the kernel
// computes it anew, a fault would be hidden.
func rightSum(ip []byte, f *flow) bool {
	return checksum.Fold(pseudo(ip, 4, uint16(ip[9]), len(ip)-20)+checksum.Sum(ip[20:])) == 0xffff
}
