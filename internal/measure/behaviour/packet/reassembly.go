package packet

import (
	"encoding/binary"

	"github.com/upflab/upflab/internal/proto/checksum"
)

// Reassembly puts fragments of IPv4 packets together (RFC 791 clause 3.2), in any order. The zero value is ready.
type Reassembly struct {
	pending map[datagramID]*pieces
}

// datagramID is what the fragments of a packet have in common.
type datagramID struct {
	addresses [8]byte
	id        [2]byte
	protocol  byte
}

// pieces are the fragments of a packet so far.
type pieces struct {
	header []byte         // of the first fragment
	list   map[int][]byte // by offset
	have   int            // octets
	end    int            // of the last fragment; 0: not known
}

// mostPending bounds what is kept of packets that never become whole.
const mostPending = 256

// Add gives the packet that an IPv4 packet makes whole, and in how many pieces it came: 1 for one that is no
// fragment. It gives nil while others are missing.
func (r *Reassembly) Add(ip []byte) (whole []byte, count int) {
	const more, offset = 0x2000, 0x1fff
	if len(ip) < 20 || ip[0]>>4 != 4 {
		return ip, 1
	}
	size, flags := int(ip[0]&0xf)*4, binary.BigEndian.Uint16(ip[6:])
	total := int(binary.BigEndian.Uint16(ip[2:]))
	if flags&(more|offset) == 0 || size < 20 || min(len(ip), total) <= size {
		return ip, 1
	}
	ip = ip[:min(len(ip), total)] // without Ethernet's padding
	id := datagramID{[8]byte(ip[12:]), [2]byte(ip[4:]), ip[9]}
	p := r.pending[id]
	if p == nil {
		if r.pending == nil || len(r.pending) >= mostPending {
			r.pending = map[datagramID]*pieces{}
		}
		p = &pieces{list: map[int][]byte{}}
		r.pending[id] = p
	}
	at := 8 * int(flags&offset)
	if _, twice := p.list[at]; !twice {
		p.have += len(ip) - size
	}
	p.list[at] = ip[size:]
	if at == 0 {
		p.header = ip[:size]
	}
	if flags&more == 0 {
		p.end = at + len(ip) - size
	}
	if p.header == nil || p.end == 0 || p.have < p.end {
		return nil, 0
	}
	delete(r.pending, id)
	return p.whole(), len(p.list)
}

func (p *pieces) whole() []byte {
	b := append(make([]byte, 0, len(p.header)+p.end), p.header...)
	b = append(b, make([]byte, p.end)...)
	for at, octets := range p.list {
		copy(b[min(len(p.header)+at, len(b)):], octets)
	}
	binary.BigEndian.PutUint16(b[2:], uint16(len(b)))
	b[6], b[7] = 0, 0
	checksum.SealIPv4(b[:len(p.header)])
	return b
}
