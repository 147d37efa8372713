package xsk

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Ring is one of the rings that the kernel shares with a socket. One side moves the
// producer, the other the consumer; both count without end, modulo 2^32. An entry is
// written before the producer is moved past it, and read before the consumer is: both
// moves are atomic, which orders them.
type Ring struct {
	memory             []byte
	producer, consumer *uint32
	flags              *uint32
	entries            unsafe.Pointer
	size               uint32 // a power of two

	own    uint32 // the index that is ours: how far we are
	others uint32 // the kernel's, when last looked at
}

// mapRing maps a ring of so many entries, each of some octets, from a socket.
func mapRing(fd int, at int64, offsets unix.XDPRingOffset, size, entry uint32) (*Ring, error) {
	memory, err := unix.Mmap(fd, at, int(offsets.Desc)+int(size*entry), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED|unix.MAP_POPULATE)
	if err != nil {
		return nil, fmt.Errorf("map a ring: %w", err)
	}
	return newRing(memory, offsets, size), nil
}

// newRing is a ring in memory that is laid out by the offsets.
func newRing(memory []byte, offsets unix.XDPRingOffset, size uint32) *Ring {
	base := unsafe.Pointer(unsafe.SliceData(memory))
	return &Ring{
		memory:   memory,
		producer: (*uint32)(unsafe.Add(base, offsets.Producer)), consumer: (*uint32)(unsafe.Add(base, offsets.Consumer)),
		flags: (*uint32)(unsafe.Add(base, offsets.Flags)), entries: unsafe.Add(base, offsets.Desc), size: size,
	}
}

// Room is how many entries can be written, of a ring that we fill.
func (r *Ring) Room() uint32 {
	r.others = atomic.LoadUint32(r.consumer)
	return r.size - (r.own - r.others)
}

// Under is how many entries the kernel has not taken yet, of a ring that we fill.
func (r *Ring) Under() uint32 { return r.size - r.Room() }

// Submit gives the kernel the next n entries, of a ring that we fill.
func (r *Ring) Submit(n uint32) {
	r.own += n
	atomic.StoreUint32(r.producer, r.own)
}

// Ready is how many entries the kernel has written, of a ring that we empty.
func (r *Ring) Ready() uint32 {
	r.others = atomic.LoadUint32(r.producer)
	return r.others - r.own
}

// Release gives the kernel n entries back, of a ring that we empty.
func (r *Ring) Release(n uint32) {
	r.own += n
	atomic.StoreUint32(r.consumer, r.own)
}

// NeedsWakeup reports whether the kernel takes entries only when it is called.
func (r *Ring) NeedsWakeup() bool { return atomic.LoadUint32(r.flags)&unix.XDP_RING_NEED_WAKEUP != 0 }

// Descriptor is the entry i after our index, of the ring tx.
func (r *Ring) Descriptor(i uint32) *unix.XDPDesc {
	return (*unix.XDPDesc)(unsafe.Add(r.entries, uintptr((r.own+i)&(r.size-1))*unsafe.Sizeof(unix.XDPDesc{})))
}

// Address is the entry i after our index, of the rings fill and completion.
func (r *Ring) Address(i uint32) *uint64 {
	return (*uint64)(unsafe.Add(r.entries, uintptr((r.own+i)&(r.size-1))*8))
}

func (r *Ring) close() error {
	if r == nil {
		return nil
	}
	return unix.Munmap(r.memory)
}
