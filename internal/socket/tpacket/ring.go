package tpacket

import (
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// ring is the receive ring: slots that the kernel fills and we give back, in
// order.
type ring struct {
	memory []byte
	slot   int
	mask   int
	next   int // the slot that is filled next, or is being read
	held   int // slots before it that were read and not given back
}

// header is struct tpacket2_hdr, as far as it is read.
type header struct {
	status, length, captured uint32
	mac, net                 uint16
	seconds, nanoseconds     uint32
}

const headerBytes = int(unsafe.Sizeof(header{}))

func (r *ring) header() *header {
	at := r.memory[r.next*r.slot:]
	_ = at[headerBytes]
	return (*header)(unsafe.Pointer(&at[0]))
}

// ready reports whether the next slot holds a frame.
func (r *ring) ready() bool {
	return atomic.LoadUint32(&r.header().status)&unix.TP_STATUS_USER != 0
}

// frame is what the next slot holds; cut: some of it did not fit.
func (r *ring) frame() (b []byte, cut bool) {
	h := r.header()
	from, n := int(h.mac), int(h.captured)
	if from < OffloadBytes || from+n > r.slot { // not what any kernel writes
		return nil, true
	}
	at := r.next * r.slot
	return r.memory[at+from : at+from+n : at+r.slot], h.length > h.captured
}

// time is when the kernel put the frame of the next slot there, ns of
// CLOCK_REALTIME.
func (r *ring) time() int64 {
	h := r.header()
	return int64(h.seconds)*1e9 + int64(h.nanoseconds)
}

// before is what the kernel put right before the frame of the next slot.
func (r *ring) before(octets int) []byte {
	at := r.next*r.slot + int(r.header().mac)
	return r.memory[at-octets : at]
}

// hold moves on without giving the slot back.
func (r *ring) hold() {
	r.next = (r.next + 1) & r.mask
	r.held++
}

// releaseHeld gives back what was held, in order.
func (r *ring) releaseHeld() {
	for ; r.held > 0; r.held-- {
		at := ((r.next - r.held) & r.mask) * r.slot
		atomic.StoreUint32(&(*header)(unsafe.Pointer(&r.memory[at])).status, unix.TP_STATUS_KERNEL)
	}
}

// release gives the next slot back and moves on.
func (r *ring) release() {
	atomic.StoreUint32(&r.header().status, unix.TP_STATUS_KERNEL)
	r.next = (r.next + 1) & r.mask
}
