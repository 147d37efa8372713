package n3socket

import (
	"encoding/binary"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// batchMax is how many messages go with one system call.
const batchMax = 64

// batch is the arguments of sendmmsg, and what the messages are.
type batch struct {
	// whole: the kernel does not cut messages for this device, as before Linux 6.11
	// without checksum offload.
	whole    bool
	used     int
	messages [batchMax]message
	names    [batchMax]name
	controls [batchMax]controls
	of       [batchMax]*run
	parts    [batchMax]int
}

// controls are what the kernel is to do with a message: cut it, and mark it. Either may be
// left out.
type controls struct{ segment, marking control }

type control struct {
	header unix.Cmsghdr
	value  [8]byte
}

// controlSize is that of one control.
const controlSize = unix.SizeofCmsghdr + 8

// mark makes it one that gives a packet a type of service, or a traffic class.
func (c *control) mark(six bool, value uint8) {
	c.header.Level, c.header.Type = unix.SOL_IP, unix.IP_TOS
	if six {
		c.header.Level, c.header.Type = unix.SOL_IPV6, unix.IPV6_TCLASS
	}
	c.header.SetLen(unix.SizeofCmsghdr + 4)
	binary.NativeEndian.PutUint32(c.value[:], uint32(value))
}

// Marking has room for a control message, which is valid until the next one is made.
type Marking struct{ control control }

// Of is the control message that gives a packet a type of service, or a traffic class where six.
func (m *Marking) Of(six bool, value uint8) []byte {
	m.control.mark(six, value)
	return unsafe.Slice((*byte)(unsafe.Pointer(&m.control)), controlSize)
}

// of points a message at those that it has.
func (c *controls) of(h *unix.Msghdr, cut, marked bool) {
	h.Control = nil
	h.SetControllen(0)
	switch {
	case cut && marked:
		h.Control = (*byte)(unsafe.Pointer(&c.segment))
		h.SetControllen(2 * controlSize)
	case cut:
		h.Control = (*byte)(unsafe.Pointer(&c.segment))
		h.SetControllen(controlSize)
	case marked:
		h.Control = (*byte)(unsafe.Pointer(&c.marking))
		h.SetControllen(controlSize)
	}
}

func (m *batch) init(six bool) {
	for i := range m.messages {
		h := &m.messages[i].header
		h.Name, h.Namelen = (*byte)(unsafe.Pointer(&m.names[i])), m.names[i].init(six)
		c := &m.controls[i]
		c.segment.header.Level, c.segment.header.Type = unix.SOL_UDP, unix.UDP_SEGMENT
		c.segment.header.SetLen(unix.SizeofCmsghdr + 2)
		c.marking.mark(six, 0)
	}
}

// put makes a message of parts of a run. It sends those before when there is no room.
func (m *batch) put(fd int, r *run, from, parts int) (lost int) {
	if m.used == batchMax {
		lost = m.send(fd)
	}
	i := m.used
	m.used++
	m.names[i].set(r.Peer)
	m.of[i], m.parts[i] = r, parts
	h := &m.messages[i].header
	h.Iov = &r.vectors[2*from]
	h.SetIovlen(2 * parts)
	c := &m.controls[i]
	binary.NativeEndian.PutUint16(c.segment.value[:], uint16(r.Size))
	binary.NativeEndian.PutUint32(c.marking.value[:], uint32(r.Marking))
	c.of(h, parts > 1, r.Marking != 0)
	return lost
}

// send hands the messages over. One that the kernel refuses is lost, but for those that
// it does not cut: their parts are sent one by one, now and from then on.
func (m *batch) send(fd int) (lost int) {
	for i := 0; i < m.used; {
		n, errno := transmit(fd, &m.messages[i], m.used-i)
		i += n
		if errno == 0 {
			continue
		}
		if m.parts[i] > 1 && (errno == unix.EIO || errno == unix.EINVAL) {
			m.whole = true
			lost += m.singly(fd, i)
		} else {
			lost += m.parts[i]
		}
		i++
	}
	m.used = 0
	return lost
}

// singly sends the parts of a message that the kernel did not cut.
func (m *batch) singly(fd, i int) (lost int) {
	one := m.messages[i]
	m.controls[i].of(&one.header, false, m.of[i].Marking != 0)
	one.header.SetIovlen(2)
	for part := range m.parts[i] {
		one.header.Iov = &m.of[i].vectors[2*part]
		if _, errno := transmit(fd, &one, 1); errno != 0 {
			lost++
		}
	}
	return lost
}

// transmit sends messages, the first n of them. With n == 0 there is an errno.
func transmit(fd int, first *message, count int) (n int, errno unix.Errno) {
	sent, _, errno := unix.RawSyscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(first)), uintptr(count),
		unix.MSG_DONTWAIT, 0, 0)
	runtime.KeepAlive(first)
	if errno != 0 {
		return 0, errno
	}
	return int(sent), 0
}
