package forward

import (
	"encoding/binary"
	"errors"

	"github.com/upflab/upflab/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// maxExtensions is how many extension headers a G-PDU may have: as many as the XDP
// programs walk.
const maxExtensions = 4

// decapsulate finds the T-PDU in a GTP-U message, the payload of a UDP datagram: an
// IPv4 packet that a session's rules forward, cut to its length, and the row that it
// goes by. Signalling is passed.
func (t *Table) decapsulate(message []byte) (tpdu []byte, r *row, v Verdict) {
	h, v := gpdu(message)
	if v != Forward {
		return nil, nil, v
	}
	rule := t.uplink[h.TEID]
	if rule == nil {
		return nil, nil, Drop(datapath.ReasonUnknownTEID)
	}
	if tpdu, v = inner(h.Payload); v != Forward {
		return nil, nil, v
	}
	r, v = rule.pick(tpdu, session.Access, h.Container.QFI, h.HasContainer)
	switch {
	case v != Forward:
		return nil, nil, v
	case tpdu[8] <= 1:
		return nil, nil, Drop(datapath.ReasonTTL)
	case !t.allowNested && nested(tpdu):
		return nil, nil, Drop(datapath.ReasonNested)
	}
	return tpdu, r, Forward
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

// inner is the T-PDU, cut to its length. An IPv6 packet is no rule's.
func inner(ip []byte) ([]byte, Verdict) {
	switch {
	case len(ip) < ipBytes:
		return nil, Drop(datapath.ReasonMalformedInner)
	case ip[0]>>4 == 6:
		return nil, Drop(datapath.ReasonSourceMismatch)
	case ip[0]>>4 != 4 || !fits(ip):
		return nil, Drop(datapath.ReasonMalformedInner)
	}
	return ip[:totalBytes(ip)], Forward
}

// nested reports whether a T-PDU is GTP-U itself, which could reach a gNB with a
// tunnel of the UE's choice.
func nested(ip []byte) bool {
	n := headerBytes(ip)
	return ip[9] == protocolUDP && binary.BigEndian.Uint16(ip[6:])&offsetBits == 0 &&
		len(ip) >= n+udpBytes && binary.BigEndian.Uint16(ip[n+2:]) == gtpu.Port
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
