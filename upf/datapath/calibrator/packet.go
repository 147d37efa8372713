package calibrator

import "encoding/binary"

// packet is one that is on its way: its frame as it will leave, and what is
// known of it. Times are ns, CLOCK_MONOTONIC.
type packet struct {
	buffer  []byte
	length  int
	payload int // offset in the frame of what follows the inner headers

	arrival, due uint64
	mark         signature
	fate
}

// fate is what was decided at arrival.
type fate struct{ duplicate, reorder, corrupt, wrongTEID bool }

func (p *packet) frame() []byte { return p.buffer[:p.length] }

// faulty reports whether it leaves other than the rules ask.
func (p *packet) faulty() bool { return p.corrupt || p.wrongTEID }

// signature is how a load generator marks its packets: the first octets of the
// UDP payload, little-endian. A packet without one has the zero value.
type signature struct {
	trial          uint16
	stream         uint32
	sequence       uint64
	intended, sent uint64
	found          bool
}

const (
	signatureMagic = 0x7566
	signatureBytes = 32
	sessionMask    = 1<<20 - 1 // of the stream's word; the rest is the kind of packet
)

func readSignature(payload []byte) signature {
	if len(payload) < signatureBytes || binary.LittleEndian.Uint16(payload) != signatureMagic {
		return signature{}
	}
	return signature{
		trial: binary.LittleEndian.Uint16(payload[2:]), stream: binary.LittleEndian.Uint32(payload[4:]) & sessionMask,
		sequence: binary.LittleEndian.Uint64(payload[8:]), intended: binary.LittleEndian.Uint64(payload[16:]),
		sent: binary.LittleEndian.Uint64(payload[24:]), found: true,
	}
}

// pool holds the packets that are not on their way. It does not grow: an
// allocation would delay what is.
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
