package forward

import (
	"encoding/binary"
	"errors"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// maxExtensions is how many extension headers a G-PDU may have: as many as the XDP
// programs walk.
const maxExtensions = 4

// decapsulate finds the T-PDU in a GTP-U message, the payload of a UDP datagram of the ECN field: an
// IP packet that a session's rules forward, cut to its length, and the row that it
// goes by, with the header that it had. Signalling is passed.
func (t *Table) decapsulate(message []byte, ecn uint8) (tpdu []byte, r *row, h gtpu.Header, v Verdict) {
	if h, v = gpdu(message); v != Forward {
		return nil, nil, h, v
	}
	rule := t.uplink[h.TEID]
	if rule == nil {
		return nil, nil, h, Drop(datapath.ReasonUnknownTEID)
	}
	if tpdu, v = inner(h.Payload); v == Forward {
		v = decapsulated(tpdu, ecn)
	}
	if v != Forward {
		return nil, nil, h, v
	}
	if isIPv6(tpdu) {
		if rule = t.uplink6[h.TEID]; rule == nil {
			return nil, nil, h, Drop(datapath.ReasonSourceMismatch)
		}
	}
	if rule.from == session.Access {
		t.accepted.Packets++
		t.accepted.Bytes += uint64(len(tpdu))
	}
	if isIPv6(tpdu) && isLocal6(tpdu) && !rule.relays {
		if t.notice != nil {
			t.notice(datapath.Notice{SEID: rule.seid, Uplink: true, Packet: tpdu})
		}
		return nil, nil, h, Drop(datapath.ReasonUnroutable)
	}
	f := flowOf(tpdu, rule.from)
	f.qfi, f.hasQFI = h.Container.QFI, h.HasContainer
	r, v = rule.pick(tpdu, &f)
	if r != nil && r.held {
		t.handOn(r, datapath.Held{TPDU: tpdu, QFI: h.Container.QFI, RQI: h.Container.RQI})
	}
	if v == Forward && r.relays == nil {
		if v = t.leaves(tpdu); v == Drop(datapath.ReasonTTL) && t.notice != nil {
			t.notice(datapath.Notice{SEID: r.seid, Uplink: true, Expired: true, Packet: tpdu})
		}
	}
	if v != Forward {
		return nil, nil, h, v
	}
	return tpdu, r, h, v
}

// leaves says whether a T-PDU may leave its tunnel, to be routed.
func (t *Table) leaves(tpdu []byte) Verdict {
	switch {
	case isIPv6(tpdu) && isLocal6(tpdu):
		return Drop(datapath.ReasonUnroutable)
	case !isIPv6(tpdu) && !isIntact(tpdu):
		return Drop(datapath.ReasonMalformedInner)
	case hops(tpdu) <= 1:
		return Drop(datapath.ReasonTTL)
	case !t.allowNested:
		return nested(tpdu)
	}
	return Forward
}

// gpdu reads a GTP-U message.
func gpdu(b []byte) (gtpu.Header, Verdict) {
	h, err := gtpu.Parse(b)
	switch {
	case errors.Is(err, gtpu.ErrVersion):
		return h, Drop(datapath.ReasonUnsupported)
	case len(b) < gtpu.HeaderLen:
		return h, Drop(datapath.ReasonMalformedGTP)
	case signalling(gtpu.MessageType(b[1])):
		return h, Pass
	case gtpu.MessageType(b[1]) != gtpu.GPDU:
		return h, Drop(datapath.ReasonUnsupported)
	case err != nil, h.Extensions > maxExtensions:
		return h, Drop(datapath.ReasonMalformedGTP)
	case h.Unknown != 0: // TS 29.281 clause 5.2.1: whoever has the port answers
		return h, Drop(datapath.ReasonUnsupported)
	}
	return h, Forward
}

func signalling(t gtpu.MessageType) bool {
	switch t {
	case gtpu.EchoRequest, gtpu.EchoResponse, gtpu.ErrorIndication, gtpu.SupportedExtensionHeaders,
		gtpu.TunnelStatus, gtpu.EndMarker:
		return true
	}
	return false
}

// inner is the T-PDU, cut to its length.
func inner(ip []byte) ([]byte, Verdict) {
	switch {
	case len(ip) < ipBytes:
		return nil, Drop(datapath.ReasonMalformedInner)
	case isIPv6(ip):
		return inner6(ip)
	case ip[0]>>4 != 4 || !fits(ip):
		return nil, Drop(datapath.ReasonMalformedInner)
	}
	return ip[:totalBytes(ip)], Forward
}

// nested reports whether a T-PDU is GTP-U itself, which could reach a gNB with a
// tunnel of the UE's choice.
func nested(ip []byte) Verdict {
	if isIPv6(ip) {
		return nested6(ip)
	}
	if binary.BigEndian.Uint16(ip[6:])&offsetBits == 0 && isNested(ip[9], ip[headerBytes(ip):]) {
		return Drop(datapath.ReasonNested)
	}
	return Forward
}

// isNested looks at the transport header.
func isNested(protocol uint8, header []byte) bool {
	return protocol == protocolUDP && len(header) >= udpBytes && binary.BigEndian.Uint16(header[2:]) == gtpu.Port
}

// datagram is the payload of the UDP datagram to our GTP-U port in an IPv4 packet.
func datagram(ip []byte, n3 [4]byte) ([]byte, Verdict) {
	if ip[9] != protocolUDP || destination(ip) != n3 || isFragment(ip) {
		return nil, Pass
	}
	if !fits(ip) || totalBytes(ip) < headerBytes(ip)+udpBytes {
		return nil, Drop(datapath.ReasonMalformedOuter)
	}
	udp := ip[headerBytes(ip):totalBytes(ip)]
	if binary.BigEndian.Uint16(udp[2:]) != gtpu.Port {
		return nil, Pass
	}
	length := int(binary.BigEndian.Uint16(udp[4:]))
	if length < udpBytes || length > len(udp) {
		return nil, Drop(datapath.ReasonMalformedOuter)
	}
	return udp[udpBytes:length], Forward
}
