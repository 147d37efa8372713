package afxdp

import (
	"errors"
	"fmt"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/tpacket"
	"github.com/upflab/upflab/internal/traffic/sender"
)

var _ sender.Port = (*socket)(nil)

// Send implements sender.Port: it hands frames to the kernel, in their order, and returns how many it
// took. While the port is down they wait in the ring; once that is full the error is unix.ENETDOWN.
func (s *socket) Send(frames []tpacket.Parts) (int, error) {
	s.reclaim()
	n := min(len(frames), len(s.free), int(s.TX.Room()))
	for i := range n {
		f := &frames[i]
		if len(f.Head)+len(f.Body) > MaxFrame {
			return 0, fmt.Errorf("a frame of %d octets: AF_XDP sends %d at most", len(f.Head)+len(f.Body), MaxFrame)
		}
		at := s.free[len(s.free)-1-i]
		s.write(at, f)
		*s.TX.Descriptor(uint32(i)) = unix.XDPDesc{Addr: at + dataAt, Len: uint32(len(f.Head) + len(f.Body)), Options: s.askTime(at)}
	}
	s.free = s.free[:len(s.free)-n]
	s.TX.Submit(uint32(n))
	err := s.push()
	if n > 0 {
		return n, nil // it is in the ring: Drain, or the next call, says what keeps it there
	}
	if err == nil && len(frames) > 0 {
		err = unix.EAGAIN
	}
	return 0, err
}

// write puts a frame into a chunk, but for a body that it holds already.
func (s *socket) write(at uint64, f *tpacket.Parts) {
	b := s.Memory[at+dataAt : at+chunkBytes]
	copy(b, f.Head)
	c := content{head: len(f.Head)}
	if len(f.Body) > 0 {
		c.at = unsafe.SliceData(f.Body)
	}
	if s.holds[at/chunkBytes] != c {
		copy(b[len(f.Head):], f.Body)
		s.holds[at/chunkBytes] = c
	}
}

// reclaim takes back the chunks of frames that have left.
func (s *socket) reclaim() {
	n := s.Completion.Ready()
	for i := range n {
		chunk := *s.Completion.Address(i) &^ (chunkBytes - 1)
		s.takeTime(chunk)
		s.free = append(s.free, chunk)
	}
	s.Completion.Release(n)
}

// push has the kernel take what was submitted. With zero copy the driver takes it, and is
// called when it asks for that. Else a call makes a few socket buffers: there are
// calls until all are made, or one makes none, since there is no room for more.
func (s *socket) push() error {
	for before := s.TX.Under(); before > 0 && s.TX.NeedsWakeup(); {
		if err := s.call(); err != nil {
			return err
		}
		if s.zero {
			return nil
		}
		s.reclaim()
		left := s.TX.Under()
		if left == before {
			return nil
		}
		before = left
	}
	return nil
}

// call calls the kernel. That a frame was dropped, or that not all was taken, is seen in
// the ring and in the port's counters.
func (s *socket) call() error {
	switch errno := s.Call(); errno {
	case 0, unix.EAGAIN, unix.EBUSY, unix.ENOBUFS, unix.EINTR:
		return nil
	default:
		return errno
	}
}

// drainLimit is how long all that was submitted may take to leave: a NIC sends a full ring
// in milliseconds.
const drainLimit = time.Second

// Drain implements sender.Port: it waits until all frames have left, or the link is down. What waits then
// is lost, or leaves when the link is up again, which is too late for its trial.
func (s *socket) Drain() error {
	for end := time.Now().Add(drainLimit); s.TX.Under() > 0; {
		err := s.push()
		if errors.Is(err, unix.ENETDOWN) {
			return nil
		}
		if err != nil {
			return err
		}
		if time.Now().After(end) {
			return s.stuck()
		}
	}
	return nil
}

// stuck is why frames do not leave; nil: the link is down. A driver may not call that an error.
func (s *socket) stuck() error {
	if link, err := s.port.Carrier(); err == nil && !link.Up {
		return nil
	}
	return fmt.Errorf("frames wait for %v to be sent, though the link is up", drainLimit)
}
