// Package n4socket is a UDP socket whose reader waits in the kernel itself, on a thread of
// its own, as the workers of datapaths do. Go's runtime would wake one thread for a datagram
// and hand it to another, each of which waits for the CPU where packets are forwarded, too.
package n4socket

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/threads"
)

// Socket is one, a net.PacketConn without deadlines. Read, ReadNow, ReadFrom and Wait
// are the reader's, who has ended before Close; the rest may be called from anywhere.
type Socket struct {
	mu       sync.RWMutex // Close's, against those who write
	fd, stop int
	stopping atomic.Bool
	local    net.Addr
	stamped  bool                  // the kernel notes when datagrams come
	from     unix.RawSockaddrInet6 // room for both families
	control  [64]byte
}

// Take makes one of a socket that was opened by Go, and closes that.
func Take(conn *net.UDPConn) (s *Socket, err error) {
	s = &Socket{fd: -1, stop: -1, local: conn.LocalAddr()}
	raw, err := conn.SyscallConn()
	if err == nil {
		err = raw.Control(func(fd uintptr) { s.fd, err = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	}
	err = errors.Join(err, conn.Close())
	if err == nil {
		s.stop, err = unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("take the socket of %v: %w", s.local, err), s.Close())
	}
	return s, nil
}

// LocalAddr is the address that it is bound to.
func (s *Socket) LocalAddr() net.Addr { return s.local }

// Read waits for a datagram and gives the time of its arrival, without Stamp that of reading.
// After Stop it ends as Wait does. Call it from threads.Go.
func (s *Socket) Read(b []byte) (n int, from netip.AddrPort, at time.Time, err error) {
	for {
		n, from, at, err = s.ReadNow(b)
		if err == unix.EAGAIN {
			err = s.Wait()
		} else if err == nil {
			return n, from, at, nil
		}
		if err != nil && err != unix.EINTR {
			return 0, netip.AddrPort{}, time.Time{}, err
		}
	}
}

// ReadNow is Read of a datagram that is there already; else the error is EAGAIN. That of a
// datagram sent before can be in its place, such as ECONNREFUSED.
func (s *Socket) ReadNow(b []byte) (n int, from netip.AddrPort, at time.Time, err error) {
	part := unix.Iovec{Base: unsafe.SliceData(b), Len: uint64(len(b))}
	message := unix.Msghdr{Name: (*byte)(unsafe.Pointer(&s.from)), Namelen: uint32(unsafe.Sizeof(s.from)), Iov: &part, Iovlen: 1}
	if s.stamped {
		message.Control, message.Controllen = &s.control[0], uint64(len(s.control))
	}
	r, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&message)), unix.MSG_DONTWAIT)
	if errno != 0 {
		return 0, netip.AddrPort{}, time.Time{}, errno
	}
	at = time.Now()
	if s.stamped {
		at = Arrival(s.control[:message.Controllen], at)
	}
	return int(r), addressOf(&s.from), at, nil
}

func addressOf(raw *unix.RawSockaddrInet6) netip.AddrPort {
	port := (*[2]byte)(unsafe.Pointer(&raw.Port))
	at := binary.BigEndian.Uint16(port[:])
	if raw.Family == unix.AF_INET {
		four := (*unix.RawSockaddrInet4)(unsafe.Pointer(raw))
		return netip.AddrPortFrom(netip.AddrFrom4(four.Addr), at)
	}
	return netip.AddrPortFrom(netip.AddrFrom16(raw.Addr), at)
}

// Wait waits until there is something to read. It ends with os.ErrDeadlineExceeded after
// Stop, and early, without an error, when the runtime wants the thread. Call it from
// threads.Go.
func (s *Socket) Wait() error {
	fds := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN}, {Fd: int32(s.stop), Events: unix.POLLIN}}
	_, err := threads.Poll(fds, -1)
	switch {
	case s.stopping.Load():
		return os.ErrDeadlineExceeded
	case err == unix.EINTR || err == unix.EAGAIN:
		return nil
	}
	return err
}

// Stop ends Wait, now and later.
func (s *Socket) Stop() {
	s.mu.RLock()
	defer s.mu.RUnlock()
	s.stopping.Store(true)
	if s.stop >= 0 {
		_, _ = unix.Write(s.stop, []byte{1, 0, 0, 0, 0, 0, 0, 0}) // it has room for 2^64 of them
	}
}

// Write sends a datagram, and waits for room where the interface is slow.
func (s *Socket) Write(b []byte, to netip.AddrPort) error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.fd < 0 {
		return net.ErrClosed
	}
	address := sockaddr(to)
	for {
		err := unix.Sendto(s.fd, b, unix.MSG_DONTWAIT, address)
		switch err {
		case unix.EINTR:
		case unix.EAGAIN:
			_, _ = unix.Poll([]unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLOUT}}, -1)
		default:
			return err
		}
	}
}

func sockaddr(to netip.AddrPort) unix.Sockaddr {
	if to.Addr().Unmap().Is4() {
		return &unix.SockaddrInet4{Port: int(to.Port()), Addr: to.Addr().Unmap().As4()}
	}
	return &unix.SockaddrInet6{Port: int(to.Port()), Addr: to.Addr().As16()}
}

// Close closes it. Its reader has ended before.
func (s *Socket) Close() (err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, fd := range []*int{&s.fd, &s.stop} {
		if *fd >= 0 {
			err = errors.Join(err, unix.Close(*fd))
		}
		*fd = -1
	}
	return err
}
