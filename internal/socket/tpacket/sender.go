package tpacket

import (
	"fmt"
	"net"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Parts is a frame in two pieces, from the Ethernet header on: what differs from
// frame to frame, and the part that many share, which is not copied.
type Parts struct{ Head, Body []byte }

func (f *Parts) len() int { return len(f.Head) + len(f.Body) }

// Sender sends frames into an interface, past the queueing discipline, and
// receives nothing. It belongs to one goroutine at a time; Send allocates nothing.
type Sender struct {
	fd       int
	messages [Batch]message
	vectors  [Batch][2]unix.Iovec
	mtu      int
	room     room
}

// OpenSender opens the interface in the network namespace of the calling thread;
// it stays there. It needs root, or CAP_NET_RAW in the namespace.
func OpenSender(name string) (*Sender, error) {
	ifc, err := net.InterfaceByName(name)
	if err != nil {
		return nil, noInterface(name, err)
	}
	s := &Sender{mtu: ifc.MTU}
	if s.fd, err = openSilent(); err != nil {
		return nil, err
	}
	if err := s.setUp(ifc.Index); err != nil {
		unix.Close(s.fd)
		return nil, fmt.Errorf("afpacket: set up %s for sending: %w", name, err)
	}
	for i := range s.messages {
		s.messages[i].header.Iov = &s.vectors[i][0]
	}
	return s, nil
}

func (s *Sender) setUp(index int) error {
	if err := unix.SetsockoptInt(s.fd, unix.SOL_PACKET, unix.PACKET_QDISC_BYPASS, 1); err != nil {
		return fmt.Errorf("bypass of the queueing discipline: %w", err)
	}
	if err := bindSilent(s.fd, index); err != nil {
		return err
	}
	return s.room.init(s.fd)
}

func noInterface(name string, err error) error {
	return fmt.Errorf("afpacket: find interface %q in this network namespace: %w: see `ip link`", name, err)
}

// openSilent opens a socket that receives nothing.
func openSilent() (int, error) {
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return -1, fmt.Errorf("afpacket: open a packet socket: %w: run as root, or with CAP_NET_RAW", err)
	}
	return fd, nil
}

// bindSilent gives such a socket room to send, and its interface.
func bindSilent(fd, index int) error {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUFFORCE, sendBuffer) != nil {
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF, sendBuffer); err != nil {
			return fmt.Errorf("send buffer: %w", err)
		}
	}
	return unix.Bind(fd, &unix.SockaddrLinklayer{Ifindex: index}) // protocol 0: receives nothing
}

// Send sends up to Batch frames in their order, with one system call. It returns
// how many the kernel took; err is why it did not take the next one: unix.ENOBUFS when
// the driver dropped it, its receiver's ring being full; unix.EAGAIN when too many frames
// are under way; unix.EMSGSIZE, of the first frame only, when it is longer than the MTU.
// It does not block.
func (s *Sender) Send(frames []Parts) (int, error) {
	frames, err := s.room.claim(s.fd, frames[:min(len(frames), Batch)])
	if err != nil || len(frames) == 0 {
		return 0, err
	}
	for i := range frames {
		f, v := &frames[i], &s.vectors[i]
		v[0].Base = unsafe.SliceData(f.Head)
		v[0].SetLen(len(f.Head))
		v[1].Base = unsafe.SliceData(f.Body)
		v[1].SetLen(len(f.Body))
		s.messages[i].header.SetIovlen(min(2, 1+len(f.Body)))
	}
	n, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&s.messages[0])),
		uintptr(len(frames)), unix.MSG_DONTWAIT, 0, 0)
	runtime.KeepAlive(frames)
	switch {
	case errno != 0:
		return 0, errno
	case int(n) < len(frames) && !s.tooLong(frames[n]):
		// sendmmsg does not say why it stopped. The next frame had room (see room), and fits:
		// it was dropped. Sent again it would be a second try, which the interface's
		// counter of drops does not know of.
		return int(n), unix.ENOBUFS
	}
	return int(n), nil
}

// tooLong reports whether the kernel may have refused a frame for its length.
func (s *Sender) tooLong(f Parts) bool {
	const header = 14
	return f.len() > header+s.mtu
}

// Close frees the socket.
func (s *Sender) Close() error { return unix.Close(s.fd) }

// Drain does nothing: the frames have left when Send returns.
func (s *Sender) Drain() error { return nil }
