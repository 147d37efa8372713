package forward

import (
	"encoding/binary"
	"errors"

	"github.com/upflab/upflab/gtpu"
	"github.com/upflab/upflab/upf/datapath"
)

// uplinkRule is what a PDR of the access side asks of a G-PDU with its TEID.
type uplinkRule struct {
	owner
	verdict Verdict
	ue      [4]byte // the inner source; zero: any
	qfi     uint8   // 0: any
}

// maxExtensions is how many extension headers a G-PDU may have: as many as the XDP
// programs walk.
const maxExtensions = 4

// Decapsulate finds the T-PDU in a GTP-U message, the payload of a UDP datagram: an
// IPv4 packet that a session's rules forward, cut to its length. Signalling is
// passed.
func (t *Table) Decapsulate(message []byte) (tpdu []byte, v Verdict) {
	h, v := gpdu(message)
	if v != Forward {
		return nil, v
	}
	rule := t.uplink[h.TEID]
	if rule == nil {
		return nil, Drop(datapath.ReasonUnknownTEID)
	}
	if v := rule.check(&h); v != Forward {
		return nil, v
	}
	if !t.allowNested && nested(h.Payload) {
		return nil, Drop(datapath.ReasonNested)
	}
	return h.Payload[:totalBytes(h.Payload)], Forward
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

// check compares a T-PDU with what the PDR wants. An IPv6 packet is no rule's.
func (r *uplinkRule) check(h *gtpu.Header) Verdict {
	ip := h.Payload
	switch {
	case len(ip) < ipBytes:
		return Drop(datapath.ReasonMalformedInner)
	case ip[0]>>4 == 6:
		return Drop(datapath.ReasonSourceMismatch)
	case ip[0]>>4 != 4 || !fits(ip):
		return Drop(datapath.ReasonMalformedInner)
	case r.ue != [4]byte{} && r.ue != source(ip):
		return Drop(datapath.ReasonSourceMismatch)
	case r.qfi != 0 && (!h.HasContainer || r.qfi != h.Container.QFI):
		return Drop(datapath.ReasonQFIMismatch)
	case r.verdict != Forward:
		return r.verdict
	case ip[8] <= 1:
		return Drop(datapath.ReasonTTL)
	}
	return Forward
}

// nested reports whether a T-PDU is GTP-U itself, which could reach a gNB with a
// tunnel of the UE's choice.
func nested(ip []byte) bool {
	n := headerBytes(ip)
	return ip[9] == protocolUDP && binary.BigEndian.Uint16(ip[6:])&offsetBits == 0 &&
		len(ip) >= n+udpBytes && binary.BigEndian.Uint16(ip[n+2:]) == gtpu.Port
}

// datagram is the payload of the UDP datagram to our GTP-U port in a frame.
func datagram(frame []byte, n3 [4]byte) ([]byte, Verdict) {
	ip := ipv4Of(frame)
	if ip == nil || ip[9] != protocolUDP || destination(ip) != n3 || isFragment(ip) {
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
