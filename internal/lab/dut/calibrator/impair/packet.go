package impair

import "github.com/upflab/upflab/internal/proto/checksum"

// packet is one that is on its way: its frame as it will leave, and what is
// known of it. Times are ns, CLOCK_MONOTONIC.
type packet struct {
	buffer  []byte
	length  int
	payload int // offset in the frame of what follows the inner headers
	tpdu    int // octets of the inner packet

	arrival, due uint64
	mark         Mark
	fate
}

// fate is what was decided at arrival.
type fate struct{ duplicate, reorder, corrupt, wrongTEID, ce bool }

func (p *packet) frame() []byte { return p.buffer[:p.length] }

// faulty reports whether it leaves other than the rules ask.
func (p *packet) faulty() bool { return p.corrupt || p.wrongTEID }

// markCE marks the inner packet, where it is ECT (RFC 3168 clause 5), and reports whether it was. An outer UDP checksum
// over IPv4 is 0, so it stays right.
func (p *packet) markCE() bool {
	const ect, ce = 3, 3
	ip := p.buffer[p.length-p.tpdu : p.length]
	if ip[0]>>4 == 6 {
		if ip[1]>>4&ect == 0 {
			return false
		}
		ip[1] |= ce << 4
		return true
	}
	if ip[1]&ect == 0 {
		return false
	}
	ip[1] |= ce
	checksum.SealIPv4(ip)
	return true
}

// pool holds the packets that are not on their way. It does not grow: an
// allocation would delay the packets that are.
type pool struct{ free []*packet }

func newPool(packets, bytes int) *pool {
	memory := make([]byte, packets*bytes)
	for i := 0; i < len(memory); i += 4096 {
		memory[i] = 1 // so that the kernel gives the page now
	}
	all := make([]packet, packets)
	p := &pool{free: make([]*packet, 0, packets)}
	for i := range all {
		all[i].buffer = memory[i*bytes : (i+1)*bytes : (i+1)*bytes]
		p.free = append(p.free, &all[i])
	}
	return p
}

// take gives a packet, nil when there is none.
func (p *pool) take() *packet {
	n := len(p.free)
	if n == 0 {
		return nil
	}
	x := p.free[n-1]
	p.free = p.free[:n-1]
	*x = packet{buffer: x.buffer}
	return x
}

func (p *pool) give(x *packet) { p.free = append(p.free, x) }
