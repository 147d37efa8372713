package n4socket

import (
	"encoding/binary"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// Stamp has the kernel note when datagrams come, for Read: a reader that gets the CPU
// late must not make the other end look slow.
func (s *Socket) Stamp() error {
	err := unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	s.stamped = err == nil
	return err
}

// StampConn is the same for a socket of Go's, whose control messages Arrival reads.
func StampConn(conn *net.UDPConn) error {
	raw, err := conn.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	if err := raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) }); err != nil {
		return err
	}
	return failed
}

// longestWait is more than datagrams wait in a socket. What seems to have waited longer, or
// to come from the future, was stamped by a clock that was set meanwhile.
const longestWait = time.Minute

// Arrival is when a datagram came that is read now; now, where its control messages do not
// begin with a time stamp. The kernel stamps it with the time of day; the answer has the
// reading of the monotonic clock.
func Arrival(control []byte, now time.Time) time.Time {
	const header, stamp = unix.SizeofCmsghdr, 16
	if len(control) < header+stamp || binary.NativeEndian.Uint32(control[8:]) != unix.SOL_SOCKET ||
		binary.NativeEndian.Uint32(control[12:]) != unix.SCM_TIMESTAMPNS {
		return now
	}
	seconds, nanos := int64(binary.NativeEndian.Uint64(control[header:])), int64(binary.NativeEndian.Uint64(control[header+8:]))
	waited := time.Duration(now.UnixNano() - seconds*int64(time.Second) - nanos)
	if waited < 0 || waited > longestWait {
		return now
	}
	return now.Add(-waited)
}
