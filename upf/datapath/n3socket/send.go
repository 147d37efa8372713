package n3socket

import (
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/offload"
	"github.com/upflab/upflab/upf/datapath/forward"
)

const (
	// runsMax is how many runs wait to be sent.
	runsMax = 64
	// headerMax is more than a GTP-U header of ours has.
	headerMax = 16 + forward.ContainerMax
)

// run is G-PDUs to one gNB that leave as one message.
type run struct {
	offload.Batch
	vectors [2 * offload.BatchMax]unix.Iovec
	headers [offload.BatchMax][headerMax]byte
}

// outbox is what waits to be sent.
type outbox struct {
	runs  []run
	used  int
	batch batch
}

func (o *outbox) init(six bool) {
	o.runs = make([]run, runsMax)
	o.batch.init(six)
}

// Add queues a G-PDU of a T-PDU for a gNB of the socket's family; false: Flush first. container is
// what forward.Decision has. The T-PDU is not copied: it has to stay as it is until Flush.
func (s *Socket) Add(t *forward.Tunnel, container, tpdu []byte) bool {
	o := &s.out
	if o.used == runsMax {
		return false
	}
	// The header is made where it will be if the G-PDU begins a run.
	header := t.AppendHeader(o.runs[o.used].headers[0][:0], container, len(tpdu))
	size := len(header) + len(tpdu)
	r := o.place(t, t.TOS(tpdu), size)
	at := r.Parts - 1
	if at > 0 {
		copy(r.headers[at][:], header)
	}
	v := r.vectors[2*at : 2*at+2]
	v[0].Base, v[1].Base = &r.headers[at][0], unsafe.SliceData(tpdu)
	v[0].SetLen(len(header))
	v[1].SetLen(len(tpdu))
	return true
}

// place finds the run that a G-PDU joins, or begins one. It is the gNB's latest:
// nothing overtakes.
func (o *outbox) place(t *forward.Tunnel, tos uint8, size int) *run {
	peer := t.Address()
	for i := o.used - 1; i >= 0; i-- {
		if r := &o.runs[i]; r.Peer == peer {
			if r.Join(tos, size) {
				return r
			}
			break
		}
	}
	r := &o.runs[o.used]
	o.used++
	r.Start(peer, tos, size)
	return r
}

// Flush sends what is queued, and gives how many G-PDUs the kernel did not take. It
// does not block.
func (s *Socket) Flush() (lost int) {
	o := &s.out
	for i := range o.used {
		r := &o.runs[i]
		if r.Parts > 1 && o.batch.whole {
			for part := range r.Parts {
				lost += o.batch.put(s.fd, r, part, 1)
			}
			continue
		}
		lost += o.batch.put(s.fd, r, 0, r.Parts)
	}
	o.used = 0
	return lost + o.batch.send(s.fd)
}
