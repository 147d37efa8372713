package slowpath

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/upf/datapath"
)

const (
	ip4Bytes, ip6Bytes = 20, 40
	udpBytes           = 8
	fragmentBytes      = 8 // of an IPv6 fragment header
	protocolUDP        = 17
	protocolFragment   = 44
	moreFragments      = 0x2000
	offsetMask         = 0x1fff
	unit               = 8 // octets that offsets count in
	optionCopied       = 0x80
	optionEnd          = 0
	optionNone         = 1
)

// fragments are the packets that a packet leaves as: itself where it fits. nil: the link is too small
// for any.
func fragments(p *datapath.Slow) [][]byte {
	switch {
	case p.MTU == 0 || len(p.Packet) <= p.MTU:
		return [][]byte{p.Packet}
	case p.TPDU > 0:
		return wrapped(p)
	case p.Packet[0]>>4 == 6:
		return fragments6(p.Packet, p.MTU)
	}
	return fragments4(p.Packet, p.MTU)
}

// wrapped fragments the T-PDU, and gives each fragment the outer headers.
func wrapped(p *datapath.Slow) [][]byte {
	head := p.Packet[:p.TPDU]
	all := fragments4(p.Packet[p.TPDU:], p.MTU-len(head))
	for i, piece := range all {
		all[i] = wrap(head, piece, p.GTPU, uint16(i))
	}
	return all
}

// wrap puts a T-PDU into outer headers that were another's. The identification is as many more.
func wrap(head, tpdu []byte, gtpu bool, more uint16) []byte {
	b := append(append(make([]byte, 0, len(head)+len(tpdu)), head...), tpdu...)
	at, protocol := ip6Bytes, b[6]
	if b[0]>>4 == 6 {
		binary.BigEndian.PutUint16(b[4:], uint16(len(b)-ip6Bytes))
	} else {
		at, protocol = int(b[0]&0xf)*4, b[9]
		binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
		binary.BigEndian.PutUint16(b[4:], binary.BigEndian.Uint16(b[4:])+more)
		checksum.SealIPv4(b)
	}
	if protocol != protocolUDP {
		return b
	}
	binary.BigEndian.PutUint16(b[at+4:], uint16(len(b)-at))
	if gtpu {
		const header, length = 8, 2
		binary.BigEndian.PutUint16(b[at+udpBytes+length:], uint16(len(b)-at-udpBytes-header))
	}
	if b[0]>>4 == 6 {
		checksum.SealUDP6(b, nil)
	}
	return b
}

// fragments4 fragments an IPv4 packet as RFC 791 says; it may be a fragment itself.
func fragments4(ip []byte, mtu int) (all [][]byte) {
	head := int(ip[0]&0xf) * 4
	room := (mtu - head) / unit * unit
	if room <= 0 || head < ip4Bytes || head > len(ip) {
		return nil
	}
	id, was := binary.BigEndian.Uint16(ip[4:]), binary.BigEndian.Uint16(ip[6:])
	if id == 0 { // the kernel would give each fragment another one
		id = uint16(1 + rand.N(0xffff))
	}
	for at, body := 0, ip[head:]; at < len(body); at += room {
		piece := body[at:min(at+room, len(body))]
		b := append(append(make([]byte, 0, head+len(piece)), ip[:head]...), piece...)
		offset := was&offsetMask + uint16(at/unit)
		if at+len(piece) < len(body) || was&moreFragments != 0 {
			offset |= moreFragments
		}
		if at > 0 {
			keepCopied(b[ip4Bytes:head])
		}
		binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
		binary.BigEndian.PutUint16(b[4:], id)
		binary.BigEndian.PutUint16(b[6:], offset)
		checksum.SealIPv4(b)
		all = append(all, b)
	}
	return all
}

// keepCopied takes out of a header's options those that only the first fragment has.
func keepCopied(options []byte) {
	for at := 0; at < len(options) && options[at] != optionEnd; {
		n := 1
		if options[at] != optionNone {
			if at+1 >= len(options) || options[at+1] < 2 {
				return
			}
			n = min(int(options[at+1]), len(options)-at)
		}
		if options[at]&optionCopied == 0 {
			for i := range n {
				options[at+i] = optionNone
			}
		}
		at += n
	}
}

// fragments6 fragments an IPv6 packet that has no extension headers, as its source does it (RFC 8200
// clause 4.5).
func fragments6(ip []byte, mtu int) (all [][]byte) {
	room := (mtu - ip6Bytes - fragmentBytes) / unit * unit
	if room <= 0 {
		return nil
	}
	id := rand.Uint32()
	for at, body := 0, ip[ip6Bytes:]; at < len(body); at += room {
		piece := body[at:min(at+room, len(body))]
		b := append(make([]byte, 0, ip6Bytes+fragmentBytes+len(piece)), ip[:ip6Bytes]...)
		b[6] = protocolFragment
		binary.BigEndian.PutUint16(b[4:], uint16(fragmentBytes+len(piece)))
		offset := uint16(at)
		if at+len(piece) < len(body) {
			offset |= 1
		}
		b = binary.BigEndian.AppendUint16(append(b, ip[6], 0), offset)
		b = binary.BigEndian.AppendUint32(b, id)
		all = append(all, append(b, piece...))
	}
	return all
}
