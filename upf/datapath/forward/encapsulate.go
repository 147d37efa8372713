package forward

import (
	"encoding/binary"
	"net/netip"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Tunnel is where a UE's downlink packets go: what a PDR of the core side and its FAR
// ask for.
type Tunnel struct {
	Peer [4]byte // the gNB
	// Peer6 is its address where that is IPv6; Peer is not meant then.
	Peer6 netip.Addr
	TEID  uint32
	QFI   uint8 // of the PDU session container; 0: there is none
	RQI   bool  // reflective QoS, of the container, too
	// PPI is the Paging Policy Indicator of a downlink container.
	PPI session.PPI
	// Marking is the outer header's type of service, or traffic class, without the ECN field.
	Marking uint8
	// NoECN: that field is 0, and not the T-PDU's.
	NoECN bool
	// Uplink: the container is that of uplink packets, on their way to another UPF.
	Uplink bool
}

// encapsulate finds the T-PDU in an IP packet from N6, cut to its length, and the
// row that it goes by. The packet has 20 octets at least, 40 of IPv6; octets after its
// length are padding. What is for no UE is passed, but for what came by a tunnel of a kind;
// GTPU: by none.
func (t *Table) encapsulate(ip []byte, kind session.Encapsulation) (tpdu []byte, r *row, v Verdict) {
	rule, known, fitting := t.ruleFor(ip)
	switch {
	case rule == nil && (known || kind.OnN6()):
		return nil, nil, Drop(datapath.ReasonUnknownUE)
	case rule == nil:
		return nil, nil, Pass
	case fitting == 0:
		return nil, nil, Drop(datapath.ReasonMalformedInner)
	}
	tpdu = ip[:fitting]
	if isIPv6(tpdu) && isLocal6(tpdu) || !isIPv6(tpdu) && isUnroutable(source(tpdu)) {
		return nil, nil, Drop(datapath.ReasonUnroutable)
	}
	f := flowOf(tpdu, session.Core)
	f.removal = kind
	r, v = rule.pick(tpdu, &f)
	switch {
	case v != Forward && (r == nil || !r.held):
		return nil, nil, v
	case !isIPv6(ip) && !isIntact(ip):
		return nil, nil, Drop(datapath.ReasonMalformedInner)
	case hops(ip) <= 1 && (!t.kernelRoutes || kind.OnN6()):
		if t.notice != nil {
			t.notice(datapath.Notice{SEID: r.seid, Expired: true, Packet: tpdu})
		}
		return nil, nil, Drop(datapath.ReasonTTL)
	case r.held:
		t.handOn(r, datapath.Held{TPDU: tpdu, Routed: t.kernelRoutes && !kind.OnN6()})
		return nil, nil, v
	}
	return tpdu, r, Forward
}

// ruleFor is the rule of a packet from N6, nil when it has none, whether its address is a
// UE's, and its length, 0 when that is wrong.
func (t *Table) ruleFor(ip []byte) (r *rule, known bool, length int) {
	if !isIPv6(ip) {
		if r = t.downlink[destination(ip)]; r == nil && len(t.prefixes.lengths) > 0 {
			r = t.prefixes.find(netip.AddrFrom4(destination(ip)).As16())
		}
		if r == nil {
			return nil, t.inPool(netip.AddrFrom4(destination(ip))), 0
		}
		if fits(ip) {
			length = totalBytes(ip)
		}
		return r, true, length
	}
	to := [16]byte(ip[24:40])
	if !isMapped(to) {
		r = t.prefixes.find(to)
	}
	if r == nil {
		return nil, t.inPool(netip.AddrFrom16(to)), 0
	}
	if fits6(ip) {
		length = total6Bytes(ip)
	}
	return r, true, length
}

// AppendHeader appends the GTP-U header of a T-PDU of size octets. container is what Decision.Container is.
func (t *Tunnel) AppendHeader(b, container []byte, size int) []byte {
	if container != nil {
		return gtpu.AppendGPDUHeaderWith(b, t.TEID, container, size)
	}
	if t.QFI == 0 {
		return gtpu.AppendGPDUHeader(b, t.TEID, nil, size)
	}
	if ppi, has := t.PPI.Value(); has {
		c := gtpu.Container{QFI: t.QFI, RQI: t.RQI}.WithPPI(ppi)
		return gtpu.AppendGPDUHeaderWith(b, t.TEID, c[:], size)
	}
	c := gtpu.Container{Type: gtpu.DownlinkInformation, QFI: t.QFI, RQI: t.RQI} // TS 38.415 clause 5.5.2.1
	if t.Uplink {
		c.Type = gtpu.UplinkInformation
	}
	return gtpu.AppendGPDUHeader(b, t.TEID, &c, size)
}

// outerBytes is what encapsulation adds to a packet.
func (t *Tunnel) outerBytes(container []byte) int {
	n := ipBytes + udpBytes + gtpu.HeaderLen
	if t.Peer6.IsValid() {
		n += ip6Bytes - ipBytes
	}
	switch {
	case container != nil:
		n += gtpu.OptionalLen + 2 + len(container)
	case t.QFI != 0 && t.PPI != 0:
		n += gtpu.OptionalLen + 8
	case t.QFI != 0:
		n += gtpu.OptionalLen + 4
	}
	return n
}

// appendOuter appends the outer IPv4 and UDP headers of a T-PDU. The
// UDP checksum is 0: none (RFC 768).
func (t *Tunnel) appendOuter(b []byte, n3 [4]byte, id uint16, container, tpdu []byte) []byte {
	at, total := len(b), t.outerBytes(container)+len(tpdu)
	b = append(b, 0x45, t.TOS(tpdu))
	b = binary.BigEndian.AppendUint16(b, uint16(total))
	b = binary.BigEndian.AppendUint16(b, id)
	b = append(b, 0, 0, outerTTL, protocolUDP, 0, 0)
	b = append(append(b, n3[:]...), t.Peer[:]...)
	checksum.SealIPv4(b[at:])
	for _, word := range [...]uint16{gtpu.Port, gtpu.Port, uint16(total - ipBytes), 0} {
		b = binary.BigEndian.AppendUint16(b, word)
	}
	return b
}
