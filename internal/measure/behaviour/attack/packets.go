package attack

import (
	"encoding/binary"
	"math/rand/v2"

	"github.com/upflab/upflab/internal/measure/behaviour/packet"
	"github.com/upflab/upflab/internal/proto/gtpu"
)

// packeteer makes packets of the user plane. It is one goroutine's.
type packeteer struct {
	rng *rand.Rand
	to  *target
}

// next makes the next input: of six five go to N3.
func (p *packeteer) next() Input {
	if p.rng.IntN(6) == 0 {
		return Input{Port: N6, Data: p.plain(false)}
	}
	switch p.rng.IntN(8) {
	case 0:
		return Input{Port: N3, Data: p.cut(p.signal())}
	case 1:
		return Input{Port: N3, Data: p.noise(1 + p.rng.IntN(100))}
	}
	return Input{Port: N3, Data: p.cut(p.gpdu())}
}

// session is a session that the attacker established.
func (p *packeteer) session() *session { return &p.to.sessions[p.rng.IntN(len(p.to.sessions))] }

// plain is an IP packet, in most cases with a fault.
func (p *packeteer) plain(up bool) []byte {
	ue := p.session().ue
	in := packet.Inner{From: ue.Addr, To: p.to.net.DN[0], Protocol: packet.UDP, FromPort: 1000, ToPort: 2000, TTL: 64,
		Length: 60 + p.rng.IntN(200), ID: uint16(p.rng.Uint32())}
	if !up {
		in.From, in.To = in.To, in.From
	}
	if p.rng.IntN(4) == 0 {
		in.Protocol = byte(p.rng.Uint32())
	}
	ip := in.Bytes(packet.Mark{})
	switch p.rng.IntN(9) {
	case 0:
		ip[0] = 0x40 | byte(p.rng.IntN(16)) // header length
	case 1:
		binary.BigEndian.PutUint16(ip[2:], uint16(p.rng.Uint32())) // total length
	case 2:
		binary.BigEndian.PutUint16(ip[6:], uint16(p.rng.Uint32())) // fragment
	case 3:
		ip[8] = byte(p.rng.IntN(2)) // TTL
	case 4:
		ip[p.rng.IntN(len(ip))] ^= 1 << p.rng.IntN(8)
	case 5:
		return p.six(up, ip)
	case 6:
		ip = ip[:20+p.rng.IntN(len(ip)-20)] // shorter than it says
	}
	return ip
}

// six is an IPv6 packet, with extension headers that lead astray.
func (p *packeteer) six(up bool, payload []byte) []byte {
	ip := make([]byte, 40, 40+len(payload))
	ip[0], ip[6], ip[7] = 0x60, []byte{0, 43, 44, 50, 60, 17, 58, 59}[p.rng.IntN(8)], 64
	binary.BigEndian.PutUint16(ip[4:], []uint16{0, uint16(len(payload)), 0xffff, 1}[p.rng.IntN(4)])
	ue := p.session().ue.Addr6.As16()
	at := 8
	if !up {
		at = 24
	}
	copy(ip[at:], ue[:])
	return append(ip, payload...)
}

// gpdu is a G-PDU with a header that may have faults.
func (p *packeteer) gpdu() []byte {
	s := p.session()
	o := packet.Outer{TEID: s.ue.TEID, QFI: byte(p.rng.Uint32()), NoContainer: p.rng.IntN(4) == 0,
		Sequence: p.rng.IntN(4) == 0, NPDU: p.rng.IntN(6) == 0}
	if p.rng.IntN(4) == 0 {
		o.Short = p.rng.IntN(200) - 100
	}
	if p.rng.IntN(8) == 0 {
		o.TEID = p.rng.Uint32()
	}
	for p.rng.IntN(3) == 0 {
		o.Before = append(o.Before, p.extension())
	}
	tpdu := p.plain(true)
	if p.rng.IntN(10) == 0 {
		tpdu = tpdu[:p.rng.IntN(len(tpdu)+1)]
	}
	b := o.Encapsulate(tpdu)[28:]
	switch p.rng.IntN(8) {
	case 0:
		b[0] = byte(p.rng.Uint32())
	case 1:
		b[1] = byte(p.rng.Uint32())
	case 2:
		if len(b) > 12 {
			b[8+p.rng.IntN(8)%(len(b)-8)] = byte(p.rng.Uint32())
		}
	}
	return b
}

// extension is an extension header, whose length may be a lie.
func (p *packeteer) extension() []byte {
	types := []byte{0x85, 0x84, 0x40, 0xc0, 0xc1, 0xc2, 0x20, 0x03, 0x3f, byte(p.rng.Uint32())}
	units := 1 + p.rng.IntN(3)
	b := append([]byte{types[p.rng.IntN(len(types))], byte(units)}, p.noise(4*units-2)...)
	if p.rng.IntN(4) == 0 {
		b[1] = []byte{0, 1, 0x7f, 0xff}[p.rng.IntN(4)]
	}
	return b
}

// signal is a GTP-U message other than a G-PDU. None is an Error Indication for a tunnel
// that is in use, which would end it rightly.
func (p *packeteer) signal() []byte {
	switch p.rng.IntN(5) {
	case 0:
		return gtpu.AppendEchoRequest(nil, uint16(p.rng.Uint32()))
	case 1:
		return gtpu.AppendErrorIndication(nil, p.rng.Uint32()|1<<31, p.to.net.GNB[0])
	case 2:
		return gtpu.AppendEndMarker(nil, p.session().ue.TEID)
	case 3:
		return gtpu.AppendSupportedExtensionHeaders(nil, uint16(p.rng.Uint32()))
	}
	return gtpu.AppendEchoResponse(nil, uint16(p.rng.Uint32()))
}

// cut shortens some, flips bits of some.
func (p *packeteer) cut(b []byte) []byte {
	switch p.rng.IntN(10) {
	case 0:
		return b[:1+p.rng.IntN(len(b))]
	case 1:
		for range 1 + p.rng.IntN(4) {
			b[p.rng.IntN(len(b))] ^= 1 << p.rng.IntN(8)
		}
	}
	return b
}

func (p *packeteer) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(p.rng.Uint32())
	}
	return b
}
