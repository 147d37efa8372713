package impair

// fifo is a queue with room for a power of two of packets.
type fifo struct {
	ring []*packet
	from uint64
	to   uint64
}

func newFIFO(room int) fifo {
	n := 1
	for n < room {
		n *= 2
	}
	return fifo{ring: make([]*packet, n)}
}

func (f *fifo) len() int { return int(f.to - f.from) }

// push appends; the caller keeps within the room.
func (f *fifo) push(p *packet) {
	f.ring[f.to&uint64(len(f.ring)-1)] = p
	f.to++
}

// head is the oldest, nil when there is none.
func (f *fifo) head() *packet {
	if f.from == f.to {
		return nil
	}
	return f.ring[f.from&uint64(len(f.ring)-1)]
}

func (f *fifo) pop() *packet {
	p := f.head()
	if p != nil {
		f.from++
	}
	return p
}
