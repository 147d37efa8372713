package offload

import "github.com/upflab/upflab/internal/proto/checksum"

// Where the checksum is in a transport header, and the protocols' numbers.
const (
	udpSumAt = 6
	tcpSumAt = 16

	protocolTCP = 6
	protocolUDP = 17
)

// sums computes the checksums of a packet.
func (l *layout) sums(p []byte) {
	if l.version == 4 {
		checksum.SealIPv4(p)
	}
	t := p[l.transport:]
	if l.tcp {
		checksum.Put(t[tcpSumAt:], 0)
		checksum.Put(t[tcpSumAt:], checksum.Finish(pseudo(p, l.version, protocolTCP, len(t))+checksum.Sum(t)))
		return
	}
	checksum.Put(t[udpSumAt:], 0)
	checksum.Put(t[udpSumAt:], checksum.FinishUDP(pseudo(p, l.version, protocolUDP, len(t))+checksum.Sum(t)))
}

// pseudo is the sum of the pseudo header of a transport packet of n octets, RFC 9293
// clause 3.1 and RFC 8200 clause 8.1.
func pseudo(ip []byte, version byte, protocol uint16, n int) uint64 {
	addresses := ip[12:20]
	if version == 6 {
		addresses = ip[8:40]
	}
	return checksum.Sum(addresses) + checksum.Words(protocol, uint16(n))
}
