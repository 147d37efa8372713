package oneway

import (
	"encoding/binary"
	"errors"
	"net"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/signature"
	"github.com/upflab/upflab/internal/socket/threads"
)

// stamp lets the kernel note when a socket's datagrams arrive, and how many found it full.
func stamp(c *net.UDPConn) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var failed error
	err = raw.Control(func(fd uintptr) {
		failed = errors.Join(unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1),
			unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1))
	})
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
		arrived, full, stamped := arrival(control[:m])
		s.report.Full = max(s.report.Full, full)
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

// arrival is when a datagram arrived, ns of CLOCK_MONOTONIC, and how many had found the socket full before. The kernel
// writes the time by CLOCK_REALTIME: it is turned by the distance of the two now.
func arrival(control []byte) (ns int64, full uint64, ok bool) {
	messages, err := unix.ParseSocketControlMessage(control)
	if err != nil {
		return 0, 0, false
	}
	for _, m := range messages {
		switch {
		case m.Header.Level != unix.SOL_SOCKET:
		case m.Header.Type == unix.SCM_TIMESTAMPNS && len(m.Data) >= int(unsafe.Sizeof(unix.Timespec{})):
			at := (*unix.Timespec)(unsafe.Pointer(&m.Data[0]))
			ns, ok = at.Nano()-(threads.Realtime()-int64(threads.Monotonic())), true
		case m.Header.Type == unix.SO_RXQ_OVFL && len(m.Data) >= 4:
			full = uint64(binary.NativeEndian.Uint32(m.Data))
		}
	}
	return ns, full, ok
}
