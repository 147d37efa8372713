package smf

import (
	"encoding/binary"
	"net"
	"time"

	"golang.org/x/sys/unix"
)

// reader reads datagrams, and when the kernel took each: a reader that gets the CPU late
// must not make the UPF look slow.
type reader struct {
	conn    net.PacketConn
	stamped *net.UDPConn // nil: the connection has no time stamps
	control [64]byte
}

func newReader(conn net.PacketConn) *reader {
	r := &reader{conn: conn}
	udp, ok := conn.(*net.UDPConn)
	if !ok {
		return r
	}
	raw, err := udp.SyscallConn()
	if err != nil {
		return r
	}
	_ = raw.Control(func(fd uintptr) {
		if unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) == nil {
			r.stamped = udp
		}
	})
	return r
}

// read reads one datagram. Without a time stamp of the kernel's it came now.
func (r *reader) read(b []byte) (n int, from net.Addr, at time.Time, err error) {
	if r.stamped == nil {
		n, from, err = r.conn.ReadFrom(b)
		return n, from, time.Now(), err
	}
	n, control, _, peer, err := r.stamped.ReadMsgUDPAddrPort(b, r.control[:])
	if err != nil {
		return 0, nil, time.Time{}, err
	}
	return n, net.UDPAddrFromAddrPort(peer), arrival(r.control[:control], time.Now()), nil
}

// longestWait is more than datagrams wait in a socket. What seems to have waited longer, or
// to come from the future, was stamped by a clock that was set meanwhile.
const longestWait = time.Minute

// arrival is when a datagram came that is read now. The kernel stamps it with the time of
// day; the answer has the reading of the monotonic clock.
func arrival(control []byte, now time.Time) time.Time {
	const header, stamp = unix.SizeofCmsghdr, 16
	if len(control) < header+stamp || binary.NativeEndian.Uint32(control[8:]) != unix.SOL_SOCKET || binary.NativeEndian.Uint32(control[12:]) != unix.SCM_TIMESTAMPNS {
		return now
	}
	seconds, nanos := int64(binary.NativeEndian.Uint64(control[header:])), int64(binary.NativeEndian.Uint64(control[header+8:]))
	waited := time.Duration(now.UnixNano() - seconds*int64(time.Second) - nanos)
	if waited < 0 || waited > longestWait {
		return now
	}
	return now.Add(-waited)
}
