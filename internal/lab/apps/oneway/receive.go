package oneway

import (
	"errors"
	"net"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/threads"
)

// stamp lets the kernel note when a socket's datagrams arrive.
func stamp(c *net.UDPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) { failed = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) })
	if err != nil {
		return err
	}
	return failed
}

// receive takes what arrives until the stream has ended.
func (s *Stream) receive() {
	data, control := make([]byte, 65536), make([]byte, 128)
	highest, first := uint64(0), true
	for {
		n, m, _, _, err := s.to.ReadMsgUDPAddrPort(data, control)
		if s.ended.Load() || errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue // an ICMP error for what the other stream sent
		}
		one, ok := signature.Parse(data[:n])
		arrived, stamped := arrival(control[:m])
		if !ok || !stamped || one.Trial != s.options.Trial {
			continue
		}
		if s.seen[one.Sequence] {
			s.report.Duplicates++
			continue
		}
		s.seen[one.Sequence] = true
		if !first && one.Sequence < highest {
			s.report.Reordered++
		}
		highest, first = max(highest, one.Sequence), false
		s.report.Packets = append(s.report.Packets, Packet{Sequence: one.Sequence, Sent: time.Duration(int64(one.Sent) - s.start),
			Latency: time.Duration(max(0, arrived-int64(one.Sent)))})
	}
}

// arrival is when a datagram arrived, ns of CLOCK_MONOTONIC. The kernel writes it by
// CLOCK_REALTIME: it is turned by the distance of the two now.
func arrival(control []byte) (ns int64, ok bool) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, false
	}
	for _, m := range messages {
		if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})) {
			at := (*unix.Timespec)(unsafe.Pointer(&m.Data[0]))
			return at.Nano() - (threads.Realtime() - int64(threads.Monotonic())), true
		}
	}
	return 0, false
}
