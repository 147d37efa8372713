package xdp

import (
	"encoding/binary"

	"github.com/upflab/upflab/upf/session"
)

// Lengths of the outer header, OUTER_PLAIN and OUTER_PSC in bpf/rules.h.
const (
	outerPlain = 36
	outerPSC   = 44
)

// outerTTL is that of a packet that the UPF sends itself.
const outerTTL = 64

// gtpuPort is both ends' UDP port (TS 29.281 clause 4.4.2.3).
const gtpuPort = 2152

// writeOuter prepares the header that the program copies before each packet:
// IPv4, UDP without a checksum, GTP-U (TS 29.281
// clause 5.1) and, for a QFI, a DL PDU SESSION INFORMATION container (TS 38.415
// clause 5.5.2.1). The program fills in lengths, ID and checksum.
func writeOuter(rule *upfDlRule, source [4]byte, o *session.OuterHeader, qfi uint8) {
	b := rule.Outer[:]
	rule.OuterLen = outerPlain
	peer := o.Peer.As4()
	b[0], b[8], b[9] = 0x45, outerTTL, 17
	copy(b[12:16], source[:])
	copy(b[16:20], peer[:])
	rule.Sum = sumWords(b[:20])
	binary.BigEndian.PutUint16(b[20:], gtpuPort)
	binary.BigEndian.PutUint16(b[22:], gtpuPort)
	b[28], b[29] = 0x30, 0xff // version 1, G-PDU
	binary.BigEndian.PutUint32(b[32:], o.TEID)
	if qfi != 0 {
		rule.OuterLen = outerPSC
		b[28] |= 0x04                      // E
		b[39] = 0x85                       // next: PDU session container
		b[40], b[41], b[42] = 1, 0x00, qfi // 4 octets, type 0 (DL)
	}
}

// sumWords adds 16-bit words as the program does: in host order, unfolded.
func sumWords(b []byte) uint32 {
	var sum uint32
	for i := 0; i < len(b); i += 2 {
		sum += uint32(binary.NativeEndian.Uint16(b[i:]))
	}
	return sum
}
