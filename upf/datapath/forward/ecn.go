package forward

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
)

// Values of the ECN field, RFC 3168 clause 5. Whoever congests a link sets the lowest bit.
const (
	ecnMask = 3
	notECT  = 0
	ce      = 3
)

// ECN is the field of an IP packet of either family.
func ECN(ip []byte) uint8 {
	if isIPv6(ip) {
		return ip[1] >> 4 & ecnMask
	}
	return ip[1] & ecnMask
}

// setECN changes it.
func setECN(ip []byte, value uint8) {
	if isIPv6(ip) {
		ip[1] = ip[1]&^(ecnMask<<4) | value<<4
		return
	}
	was := binary.BigEndian.Uint16(ip)
	ip[1] = ip[1]&^ecnMask | value
	sum := checksum.Words(^binary.BigEndian.Uint16(ip[10:]), ^was, binary.BigEndian.Uint16(ip))
	checksum.Put(ip[10:], checksum.Finish(sum))
}

// decapsulated gives a T-PDU the ECN field that it has after its outer header is taken off, which
// had the field outer (RFC 6040 clause 4.2, figure 4): CE goes to the T-PDU, and so does ECT(1)
// where that was ECT(0). A T-PDU whose ends do not know ECN is dropped with CE, which tells them.
func decapsulated(tpdu []byte, outer uint8) Verdict {
	inner := ECN(tpdu)
	switch {
	case outer&1 == 0 || inner == ce || inner == outer:
	case inner == notECT && outer == ce:
		return Drop(datapath.ReasonECN)
	case inner != notECT:
		setECN(tpdu, outer)
	}
	return Forward
}

// TOS is the type of service, or traffic class, of the outer header that a T-PDU leaves in: what
// the FAR asks for, and the T-PDU's ECN field (RFC 6040 clause 4.1), in compatibility mode 0.
func (t *Tunnel) TOS(tpdu []byte) uint8 { return outerTOS(t.Marking, t.NoECN, tpdu) }

// TOS is the same of a tunnel on N6.
func (e *Exit) TOS(tpdu []byte) uint8 { return outerTOS(e.Marking, e.NoECN, tpdu) }

func outerTOS(marking uint8, noECN bool, tpdu []byte) uint8 {
	if noECN {
		return marking
	}
	return marking | ECN(tpdu)
}
