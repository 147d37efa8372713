package n3socket

import (
	"net/netip"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath/forward"
)

const (
	// runsMax is how many runs wait to be sent, partsMax how many G-PDUs one has: the
	// least that a kernel cuts (UDP_MAX_SEGMENTS).
	runsMax  = 64
	partsMax = 64
	// octetsMax is what one message holds: an IP packet's most less its headers.
	octetsMax = 65535 - 48
	// headerMax is more than a GTP-U header of ours has.
	headerMax = 32
)

// run is G-PDUs to one gNB that leave as one message, all of one size but the last.
type run struct {
	peer    netip.Addr
	marking uint8 // type of service
	size    int
	octets  int
	parts   int
	closed  bool
	vectors [2 * partsMax]unix.Iovec
	headers [partsMax][headerMax]byte
}

// outbox is what waits to be sent.
type outbox struct {
	runs []run
	used int
	mail mail
}

func (o *outbox) init(six bool) {
	o.runs = make([]run, runsMax)
	o.mail.init(six)
}

// Add queues a G-PDU of a T-PDU for a gNB of the socket's family; false: Flush first. The T-PDU is not copied:
// it has to stay as it is until Flush.
func (s *Socket) Add(t *forward.Tunnel, tpdu []byte) bool {
	o := &s.out
	if o.used == runsMax {
		return false
	}
	// The header is made where it will be if the G-PDU begins a run.
	header := t.AppendHeader(o.runs[o.used].headers[0][:0], len(tpdu))
	size := len(header) + len(tpdu)
	r := o.place(t, size)
	if r.parts > 0 {
		copy(r.headers[r.parts][:], header)
	}
	v := r.vectors[2*r.parts : 2*r.parts+2]
	v[0].Base, v[1].Base = &r.headers[r.parts][0], unsafe.SliceData(tpdu)
	v[0].SetLen(len(header))
	v[1].SetLen(len(tpdu))
	r.parts++
	r.octets += size
	r.closed = size < r.size
	return true
}

// place finds the run that a G-PDU belongs to, or begins one. It is the gNB's latest:
// nothing overtakes.
func (o *outbox) place(t *forward.Tunnel, size int) *run {
	peer := t.Address()
	for i := o.used - 1; i >= 0; i-- {
		r := &o.runs[i]
		if r.peer != peer {
			continue
		}
		if !r.closed && r.marking == t.Marking && size <= r.size && r.parts < partsMax && r.octets+size <= octetsMax {
			return r
		}
		break
	}
	r := &o.runs[o.used]
	o.used++
	r.peer, r.marking, r.size, r.octets, r.parts, r.closed = peer, t.Marking, size, 0, 0, false
	return r
}

// Flush sends what is queued, and gives how many G-PDUs the kernel did not take. It
// does not block.
func (s *Socket) Flush() (lost int) {
	o := &s.out
	for i := range o.used {
		r := &o.runs[i]
		if r.parts > 1 && o.mail.whole {
			for part := range r.parts {
				lost += o.mail.put(s.fd, r, part, 1)
			}
			continue
		}
		lost += o.mail.put(s.fd, r, 0, r.parts)
	}
	o.used = 0
	return lost + o.mail.send(s.fd)
}
