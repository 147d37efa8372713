package tun

import (
	"encoding/binary"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// entering is what the first worker reads from tunnels on N6, a batch at once.
type entering struct {
	buffers [entrances][]byte
	control [entranceControl]byte
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
	return e
}

// read takes what a socket has.
func (e *entering) read(s exitSocket) {
	e.packets = e.packets[:0]
	for i := range e.buffers {
		n, controls, _, _, err := unix.Recvmsg(s.fd, e.buffers[i], e.control[:], 0)
		if err != nil || n < 1 {
			return // an error is that of a packet sent before, or there is nothing
		}
		payload, tos := e.buffers[i][:n], tosOf(e.control[:controls], s.kind)
		if s.kind == session.IPv4 { // a raw socket gives the IPv4 header, too
			payload = payload[min(n, int(payload[0]&0xf)*4):]
		}
		e.packets = append(e.packets, entered{payload, s.kind, s.protocol, tos})
	}
}

// tosOf is the type of service, or traffic class, that a control message gives: one octet of IPv4,
// an int of IPv6.
func tosOf(control []byte, kind session.Encapsulation) uint8 {
	switch {
	case len(control) < unix.SizeofCmsghdr+4:
		return 0
	case kind.IsIPv6():
		return uint8(binary.NativeEndian.Uint32(control[unix.SizeofCmsghdr:]))
	}
	return control[unix.SizeofCmsghdr]
}

// enter takes what came by a tunnel on N6 to N3.
func (w *worker) enter(s exitSocket) {
	w.entering.read(s)
	w.count.received.Add(uint64(len(w.entering.packets)))
	sent, lost := 0, 0
	f, now := w.rules.Take(), w.now()
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
		if w.exits.send(p) {
			w.count.sent.Add(1)
		} else {
			w.count.lost.Add(1)
		}
	}
	w.leaving = w.leaving[:0]
}
