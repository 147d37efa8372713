package capture

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// sides are the directions that a tap copies.
type sides int

const (
	tapIn   sides = 1
	tapOut  sides = 2
	tapBoth       = tapIn | tapOut
)

// tap is a packet socket on a port.
type tap struct {
	file *os.File
	done chan struct{}
}

// snap is how many bytes of a packet are kept at most.
const snap = 2048

func openTap(h Hop, id int, which sides, add func(frame)) (*tap, error) {
	t := &tap{done: make(chan struct{})}
	err := h.Port.NS.Do(func() error {
		fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
		if err != nil {
			return err
		}
		t.file = os.NewFile(uintptr(fd), h.Name)
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1); err != nil {
			return err
		}
		all := uint16(unix.ETH_P_ALL)
		return unix.Bind(fd, &unix.SockaddrLinklayer{Protocol: all<<8 | all>>8, Ifindex: h.Port.Index})
	})
	if err != nil {
		if t.file != nil {
			err = errors.Join(err, t.file.Close())
		}
		return nil, fmt.Errorf("capture at %s (%s): %w", h.Name, h.Port.Name, err)
	}
	go t.read(id, which, func(f frame) {
		if h.UDP == 0 || ofPort(f.bytes, h.UDP) {
			add(f)
		}
	})
	return t, nil
}

// ofPort reports whether an Ethernet frame is a UDP datagram from or to a port.
func ofPort(frame []byte, port uint16) bool {
	const ethernet, udp = 14, 17
	if len(frame) < ethernet+20 {
		return false
	}
	ip := frame[ethernet:]
	size, protocol := int(ip[0]&0xf)*4, ip[9]
	if ip[0]>>4 == 6 {
		size, protocol = 40, ip[6]
	}
	if protocol != udp || len(ip) < size+4 {
		return false
	}
	return binary.BigEndian.Uint16(ip[size:]) == port || binary.BigEndian.Uint16(ip[size+2:]) == port
}

// read copies packets until the socket is closed.
func (t *tap) read(id int, which sides, add func(frame)) {
	defer close(t.done)
	raw, err := t.file.SyscallConn()
	if err != nil {
		return
	}
	packet, control := make([]byte, snap), make([]byte, 128)
	for {
		var f frame
		var failed error
		keep := false
		err := raw.Read(func(fd uintptr) bool {
			f, keep, failed = receive(int(fd), packet, control, which)
			return !errors.Is(failed, unix.EAGAIN)
		})
		if err != nil || failed != nil {
			return // closed, or the port is gone
		}
		if keep {
			f.hop = id
			add(f)
		}
	}
}

// receive takes one packet; keep reports whether it went in a wanted direction.
func receive(fd int, packet, control []byte, which sides) (f frame, keep bool, err error) {
	n, controls, _, from, err := unix.Recvmsg(fd, packet, control, unix.MSG_TRUNC)
	if err != nil {
		return f, false, err
	}
	link, _ := from.(*unix.SockaddrLinklayer)
	f.out = link != nil && link.Pkttype == unix.PACKET_OUTGOING
	f.at, f.length = stamp(control[:controls]), n
	f.bytes = append([]byte(nil), packet[:min(n, len(packet))]...)
	side := tapIn
	if f.out {
		side = tapOut
	}
	return f, which&side != 0, nil
}

// stamp is when the kernel received a packet, since 1970.
func stamp(control []byte) time.Duration {
	messages, err := unix.ParseSocketControlMessage(control)
	if err == nil {
		for _, m := range messages {
			if m.Header.Type == unix.SO_TIMESTAMPNS && len(m.Data) >= 16 {
				return time.Duration(binary.NativeEndian.Uint64(m.Data))*time.Second + time.Duration(binary.NativeEndian.Uint64(m.Data[8:]))
			}
		}
	}
	return time.Duration(time.Now().UnixNano())
}

func (t *tap) close() error {
	err := t.file.Close()
	<-t.done
	return err
}
