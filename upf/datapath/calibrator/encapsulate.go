package calibrator

import (
	"encoding/binary"

	"github.com/upflab/upflab/gtpu"
	"github.com/upflab/upflab/upf/datapath"
)

// findUE finds the rule for a frame that came from N6, and the IP packet in it.
func (t *table) findUE(frame []byte) (ip []byte, rule *downlinkRule, v verdict) {
	ip = ipv4Of(frame)
	if ip == nil {
		return nil, nil, pass
	}
	rule = t.downlink[destination(ip)]
	switch {
	case rule == nil && t.inPool(destination(ip)):
		return nil, nil, dropFor(datapath.ReasonUnknownUE)
	case rule == nil:
		return nil, nil, pass
	case !fits(ip):
		return nil, nil, dropFor(datapath.ReasonMalformedInner)
	case rule.verdict != forward:
		return nil, nil, rule.verdict
	case ip[8] <= 1:
		return nil, nil, dropFor(datapath.ReasonTTL)
	}
	return ip[:totalBytes(ip)], rule, forward
}

// container is the PDU session container that the rule's packets get, nil for
// none (TS 38.415 clause 5.5.2.1).
func (r *downlinkRule) container() *gtpu.Container {
	if r.qfi == 0 {
		return nil
	}
	return &gtpu.Container{Type: gtpu.DownlinkInformation, QFI: r.qfi}
}

// outerBytes is what encapsulation adds to a packet.
func (r *downlinkRule) outerBytes() int {
	if r.qfi == 0 {
		return ipBytes + udpBytes + gtpu.HeaderLen
	}
	return ipBytes + udpBytes + gtpu.HeaderLen + gtpu.OptionalLen + 4
}

// writeTunnelled writes the frame of a packet towards its gNB. The outer UDP
// checksum is 0: none (RFC 768).
func writeTunnelled(p *packet, ip []byte, r *downlinkRule, n3 [4]byte, id uint16, h hop) {
	at := writeEthernet(p.buffer, h)
	total := r.outerBytes() + len(ip)
	outer := p.buffer[at : at+ipBytes]
	copy(outer, []byte{0x45, 0, 0, 0, 0, 0, 0, 0, outerTTL, protocolUDP, 0, 0})
	binary.BigEndian.PutUint16(outer[2:], uint16(total))
	binary.BigEndian.PutUint16(outer[4:], id)
	copy(outer[12:], n3[:])
	copy(outer[16:], r.peer[:])
	binary.BigEndian.PutUint16(outer[10:], checksum(outer))
	udp := p.buffer[at+ipBytes : at+ipBytes+udpBytes]
	binary.BigEndian.PutUint16(udp[0:], gtpu.Port)
	binary.BigEndian.PutUint16(udp[2:], gtpu.Port)
	binary.BigEndian.PutUint16(udp[4:], uint16(total-ipBytes))
	udp[6], udp[7] = 0, 0
	gtpu.AppendGPDUHeader(p.buffer[:at+ipBytes+udpBytes], r.teid, r.container(), len(ip))
	at += r.outerBytes()
	p.length = at + copy(p.buffer[at:], ip)
	decrementTTL(p.buffer[at:])
	p.payload = at + payloadOffset(p.buffer[at:p.length])
}
