package xsk

import (
	"errors"
	"fmt"
	"net"

	"golang.org/x/sys/unix"
)

const (
	chunks     = 2048 // of a Sender, and entries of each of its rings
	sendBuffer = 8 << 20
)

// Sender sends single frames into a queue of an interface, past the queueing discipline, by the
// kernel's copy of each. What captures the interface's packets (packet sockets, classifiers)
// does not see them. It belongs to one goroutine at a time; Put and Flush allocate nothing.
type Sender struct {
	socket *Socket
	chunk  int      // octets
	free   []uint64 // addresses of chunks that hold no frame under way
	put    uint32   // frames since the last Flush
	down   bool     // the interface takes nothing, and not for want of room
}

// OpenSender opens an interface in the network namespace of the calling thread. It needs what
// Open needs, and Linux 5.3.
func OpenSender(name string, queue int) (*Sender, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return nil, fmt.Errorf("afxdp: find interface %q in this network namespace: %w: see `ip link`", name, err)
	}
	s := &Sender{chunk: 2048}
	if ifc.MTU+ethernetMax > s.chunk {
		s.chunk = 4096
	}
	s.socket, err = Open(Config{Interface: ifc.Index, Queue: queue, Flags: unix.XDP_COPY, Chunks: chunks,
		ChunkBytes: s.chunk, Entries: chunks})
	if err != nil {
		return nil, fmt.Errorf("afxdp: open a socket for queue %d of %s: %w%s", queue, name, err, hint(err))
	}
	if unix.SetsockoptInt(s.socket.FD, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBuffer) != nil {
		if err := unix.SetsockoptInt(s.socket.FD, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer); err != nil {
			return nil, errors.Join(fmt.Errorf("afxdp: send buffer: %w", err), s.Close())
		}
	}
	for i := range uint64(chunks) {
		s.free = append(s.free, i*uint64(s.chunk))
	}
	return s, nil
}

// hint says what an error of Open means.
func hint(err error) string {
	switch {
	case errors.Is(err, unix.EINVAL):
		return " (it has no such queue)"
	case errors.Is(err, unix.EBUSY):
		return " (another socket has it)"
	case errors.Is(err, unix.ENOBUFS):
		return " (more memory has to be locked than is allowed: see `ulimit -l`)"
	}
	return ""
}

// ethernetMax is the longest Ethernet header, with two VLAN tags.
const ethernetMax = 22

// Fits reports whether a frame of so many octets can be put.
func (s *Sender) Fits(octets int) bool { return octets <= s.chunk }

// Put writes a frame that fits, from the Ethernet header on, which is in pieces. Flush sends it.
// false: as many frames as there is room for are under way.
func (s *Sender) Put(pieces [][]byte) bool {
	if len(s.free) == 0 {
		s.reclaim()
		if len(s.free) == 0 {
			return false
		}
	}
	at := s.free[len(s.free)-1]
	s.free = s.free[:len(s.free)-1]
	b, n := s.socket.Memory[at:at+uint64(s.chunk)], 0
	for _, p := range pieces {
		n += copy(b[n:], p)
	}
	*s.socket.TX.Descriptor(s.put) = unix.XDPDesc{Addr: at, Len: uint32(n)}
	s.put++
	return true
}

// Flush has the kernel send what was put, in its order, and returns how many frames it dropped: the
// ring of who receives at the other end was full, or the link has no carrier. What the driver has
// no room for at the moment waits for the next call, and so does what an interface that is down
// does not take. It does not block.
func (s *Sender) Flush() (dropped uint64) {
	tx := s.socket.TX
	tx.Submit(s.put)
	s.put = 0
	for left, vain := tx.Under(), uint32(0); left > 0 && vain <= left/leastTaken+1; {
		switch s.socket.Call() {
		case unix.EBUSY:
			dropped++
		case 0, unix.EAGAIN, unix.EINTR:
		default:
			vain, s.down = left, true
		}
		before := left
		if left = tx.Under(); left == before {
			vain++
		} else {
			s.down = false
		}
	}
	s.reclaim()
	return dropped
}

// leastTaken is how many frames a call takes, where nothing is in its way, in the kernel that takes
// the fewest. Before Linux 6.17 the ring shows them only when the call finds no more.
const leastTaken = 16

// Waiting reports whether frames wait until the driver has room: soon, and for another Flush.
func (s *Sender) Waiting() bool { return !s.down && s.socket.TX.Under() > 0 }

// reclaim takes back the chunks of frames that have left.
func (s *Sender) reclaim() {
	done := s.socket.Completion
	n := done.Ready()
	for i := range n {
		s.free = append(s.free, *done.Address(i))
	}
	done.Release(n)
}

// FD is the socket, for poll: it can be written to when there is room again.
func (s *Sender) FD() int { return s.socket.FD }

// Close frees the socket; what waits is not sent.
func (s *Sender) Close() error { return s.socket.Close() }
