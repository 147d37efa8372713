package calibrator

import (
	"encoding/binary"
	"errors"

	"github.com/upflab/upflab/gtpu"
	"github.com/upflab/upflab/upf/datapath"
)

// datagram is the payload of the UDP datagram to our GTP-U port in a frame.
func datagram(frame []byte, n3 [4]byte) ([]byte, verdict) {
	ip := ipv4Of(frame)
	if ip == nil || ip[9] != protocolUDP || destination(ip) != n3 || binary.BigEndian.Uint16(ip[6:])&fragmentBits != 0 {
		return nil, pass
	}
	if !fits(ip) || totalBytes(ip) < headerBytes(ip)+udpBytes {
		return nil, dropFor(datapath.ReasonMalformedOuter)
	}
	udp := ip[headerBytes(ip):totalBytes(ip)]
	if binary.BigEndian.Uint16(udp[2:]) != gtpu.Port {
		return nil, pass
	}
	length := int(binary.BigEndian.Uint16(udp[4:]))
	if length < udpBytes || length > len(udp) {
		return nil, dropFor(datapath.ReasonMalformedOuter)
	}
	return udp[udpBytes:length], forward
}

// gpdu reads the GTP-U message in a datagram.
func gpdu(b []byte) (gtpu.Header, verdict) {
	h, err := gtpu.Parse(b)
	switch {
	case errors.Is(err, gtpu.ErrVersion):
		return h, dropFor(datapath.ReasonUnsupported)
	case h.Type == gtpu.GPDU && err != nil, len(b) < gtpu.HeaderLen:
		return h, dropFor(datapath.ReasonMalformedGTP)
	case len(b) > 1 && signalling(gtpu.MessageType(b[1])):
		return h, pass
	case err != nil:
		return h, dropFor(datapath.ReasonMalformedGTP)
	case h.Type != gtpu.GPDU:
		return h, dropFor(datapath.ReasonUnsupported)
	}
	return h, forward
}

func signalling(t gtpu.MessageType) bool {
	switch t {
	case gtpu.EchoRequest, gtpu.EchoResponse, gtpu.ErrorIndication, gtpu.SupportedExtensionHeaders,
		gtpu.TunnelStatus, gtpu.EndMarker:
		return true
	}
	return false
}

// decapsulate finds the T-PDU that an uplink frame carries to N6.
func (t *table) decapsulate(frame []byte, n3 [4]byte) (ip []byte, v verdict) {
	b, v := datagram(frame, n3)
	if v != forward {
		return nil, v
	}
	h, v := gpdu(b)
	if v != forward {
		return nil, v
	}
	rule := t.uplink[h.TEID]
	if rule == nil {
		return nil, dropFor(datapath.ReasonUnknownTEID)
	}
	if v := rule.check(&h); v != forward {
		return nil, v
	}
	return h.Payload[:totalBytes(h.Payload)], forward
}

// check compares a T-PDU with what the PDR wants. An IPv6 packet is no rule's.
func (r *uplinkRule) check(h *gtpu.Header) verdict {
	ip := h.Payload
	switch {
	case len(ip) < ipBytes:
		return dropFor(datapath.ReasonMalformedInner)
	case ip[0]>>4 == 6:
		return dropFor(datapath.ReasonSourceMismatch)
	case ip[0]>>4 != 4 || !fits(ip):
		return dropFor(datapath.ReasonMalformedInner)
	case r.ue != [4]byte{} && r.ue != source(ip):
		return dropFor(datapath.ReasonSourceMismatch)
	case r.qfi != 0 && (!h.HasContainer || r.qfi != h.Container.QFI):
		return dropFor(datapath.ReasonQFIMismatch)
	case r.verdict != forward:
		return r.verdict
	case ip[8] <= 1:
		return dropFor(datapath.ReasonTTL)
	}
	return forward
}

// writePlain writes the frame of a T-PDU towards N6 into the packet.
func writePlain(p *packet, ip []byte, h hop) {
	p.length = writeEthernet(p.buffer, h)
	at := p.length
	p.length += copy(p.buffer[at:], ip)
	decrementTTL(p.buffer[at:])
	p.payload = at + payloadOffset(p.buffer[at:p.length])
}

func writeEthernet(b []byte, h hop) int {
	copy(b, h.macs[:])
	b[12], b[13] = 8, 0
	return ethernetBytes
}
