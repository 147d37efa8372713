package tun

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/n3socket"
	"github.com/upflab/upflab/upf/session"
)

// entering is what the first worker reads from tunnels on N6, a batch at once.
type entering struct {
	buffers [entrances][]byte
	control [entranceControl]byte
	vector  unix.Iovec
	header  unix.Msghdr // has no name: senders do not matter
	packets []entered
}

// entered is what came in outer headers.
type entered struct {
	payload  []byte
	kind     session.Encapsulation
	protocol byte
	tos      uint8 // of the outer header, or its traffic class
}

const (
	entrances   = 32 // packets a batch
	enteringMax = 65536
	// entranceControl has room for the type of service.
	entranceControl = unix.SizeofCmsghdr + 8
)

func newEntering() *entering {
	e := &entering{}
	for i := range e.buffers {
		e.buffers[i] = make([]byte, enteringMax)
	}
	e.header.Iov, e.header.Control = &e.vector, &e.control[0]
	e.header.SetIovlen(1)
	return e
}

// read takes what a socket has.
func (e *entering) read(s exitSocket) {
	e.packets = e.packets[:0]
	for i := range e.buffers {
		n, tos := e.receive(s.fd, e.buffers[i])
		if n < 1 {
			return // an error is that of a packet sent before, or there is nothing
		}
		payload := e.buffers[i][:n]
		if s.kind == session.IPv4 { // a raw socket gives the IPv4 header, too
			payload = payload[min(n, int(payload[0]&0xf)*4):]
		}
		e.packets = append(e.packets, entered{payload, s.kind, s.protocol, tos})
	}
}

// receive takes one packet, without waiting: its octets, 0 where there is none or an error, and its
// type of service.
func (e *entering) receive(fd int, to []byte) (n int, tos uint8) {
	e.vector.Base = &to[0]
	e.vector.SetLen(len(to))
	e.header.SetControllen(len(e.control))
	got, _, errno := unix.RawSyscall(unix.SYS_RECVMSG, uintptr(fd), uintptr(unsafe.Pointer(&e.header)), unix.MSG_DONTWAIT)
	runtime.KeepAlive(e)
	if errno != 0 {
		return 0, 0
	}
	return int(got), n3socket.TOS(e.control[:min(e.header.Controllen, entranceControl)])
}

// enter takes what came by a tunnel on N6 to N3.
func (w *worker) enter(s exitSocket) {
	w.entering.read(s)
	w.count.received.Add(uint64(len(w.entering.packets)))
	sent, lost := 0, 0
	f, now := w.rules.Take(), w.rules.Now()
	for _, p := range w.entering.packets {
		d := f.DecidePayload(p.payload, p.kind, p.protocol, p.tos, now)
		if d.Verdict != forward.Forward {
			continue
		}
		forward.Age(d.TPDU) // the kernel forwarded the outer packet alone
		f.Forwarded(&d)
		sent++
		lost += w.send(&d)
	}
	w.rules.Give()
	lost += w.flush()
	w.count.sent.Add(uint64(sent - lost))
	w.count.lost.Add(uint64(lost))
}

// leave sends what goes into tunnels on N6.
func (w *worker) leave() {
	for _, p := range w.leaving {
		if w.exits.send(p, &w.marking) {
			w.count.sent.Add(1)
		} else {
			w.count.lost.Add(1)
		}
	}
	w.leaving = w.leaving[:0]
}
