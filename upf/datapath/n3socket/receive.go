package n3socket

import (
	"encoding/binary"
	"net/netip"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Datagrams is how many datagrams, or runs of them, one Receive takes.
const Datagrams = 32

// datagramMax is the most that the kernel hands over as one.
const datagramMax = 65536

// Headroom is how many octets are free before each datagram, for other headers.
const Headroom = 32

const stride = Headroom + datagramMax

// message is struct mmsghdr.
type message struct {
	header unix.Msghdr
	length uint32
	_      [4]byte
}

// inbox is the arguments of recvmmsg.
type inbox struct {
	used     int // messages that the kernel has filled in
	messages [Datagrams]message
	vectors  [Datagrams]unix.Iovec
	names    [Datagrams]name
	controls [Datagrams][controlBytes]byte
	memory   []byte
}

// controlBytes has room for the length of what was joined, and for the type of service.
const controlBytes = 2 * (unix.SizeofCmsghdr + 8)

func (in *inbox) init() {
	in.memory = make([]byte, Datagrams*stride)
	for i := range in.messages {
		in.vectors[i].Base = &in.memory[i*stride+Headroom]
		in.vectors[i].SetLen(datagramMax)
		h := &in.messages[i].header
		h.Iov, h.Name, h.Control = &in.vectors[i], (*byte)(unsafe.Pointer(&in.names[i])), &in.controls[i][0]
		h.SetIovlen(1)
		in.ready(i)
	}
}

// ready sets what the kernel changes in a message that it fills in.
func (in *inbox) ready(i int) {
	h := &in.messages[i].header
	h.Namelen = nameBytes
	h.SetControllen(controlBytes)
}

// Receive takes what has arrived, without waiting: how many datagrams, of which
// Datagram gives each. It is 0 when there are none.
func (s *Socket) Receive() (int, error) {
	in := &s.in
	for i := range in.used {
		in.ready(i)
	}
	in.used = 0
	n, _, errno := unix.RawSyscall6(unix.SYS_RECVMMSG, uintptr(s.fd), uintptr(unsafe.Pointer(&in.messages[0])),
		Datagrams, unix.MSG_DONTWAIT, 0, 0)
	runtime.KeepAlive(in)
	switch errno {
	case 0:
		in.used = int(n)
		return in.used, nil
	case unix.EAGAIN, unix.EINTR:
		return 0, nil
	}
	return 0, errno
}

// Datagram is a datagram, or several of one sender, one after the other, each Size
// octets but the last, which may be shorter. It is valid until Receive and may be
// changed.
type Datagram struct {
	Data []byte
	Size int
	From netip.AddrPort
	TOS  uint8 // of their IP headers, or the traffic class
}

// Datagram gives one of those of Receive.
func (s *Socket) Datagram(i int) Datagram {
	m := &s.in.messages[i]
	at := i*stride + Headroom
	d := Datagram{Data: s.in.memory[at : at+int(m.length) : at+int(m.length)], From: s.in.names[i].address(s.six)}
	d.read(s.in.controls[i][:min(m.header.Controllen, controlBytes)])
	return d
}

// read takes from control messages what they say of the datagrams.
func (d *Datagram) read(control []byte) {
	size, tos := read(control)
	if d.Size, d.TOS = len(d.Data), tos; size > 0 {
		d.Size = min(size, len(d.Data))
	}
}

// TOS is the type of service, or the traffic class, that control messages give a packet; see
// ReceiveTOS.
func TOS(control []byte) uint8 {
	_, tos := read(control)
	return tos
}

// read takes from control messages what they say of datagrams: the size of each of several
// together, 0 where they are one, and the type of service.
func read(control []byte) (size int, tos uint8) {
	for len(control) >= unix.SizeofCmsghdr+4 {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&control[0]))
		value := control[unix.SizeofCmsghdr:]
		switch {
		case h.Level == unix.SOL_UDP && h.Type == unix.UDP_GRO:
			size = int(binary.NativeEndian.Uint32(value))
		case h.Level == unix.SOL_IP && h.Type == unix.IP_TOS: // one octet
			tos = value[0]
		case h.Level == unix.SOL_IPV6 && h.Type == unix.IPV6_TCLASS:
			tos = uint8(binary.NativeEndian.Uint32(value))
		}
		next := unix.CmsgSpace(int(h.Len) - unix.SizeofCmsghdr)
		if h.Len < unix.SizeofCmsghdr || next > len(control) {
			return size, tos
		}
		control = control[next:]
	}
	return size, tos
}
