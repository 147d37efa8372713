package xsk

import (
	"encoding/binary"
	"testing"

	"golang.org/x/sys/unix"
)

// memory is laid out as Linux lays a ring of eight out: the producer, and the consumer and
// flags each in a cache line of its own, then the entries.
var layout = unix.XDPRingOffset{Producer: 0, Consumer: 64, Flags: 128, Desc: 192}

func testRing(entry int) (*Ring, []byte) {
	memory := make([]byte, 192+8*entry)
	return newRing(memory, layout, 8), memory
}

// TestTransmitRing: descriptors are written as struct xdp_desc, and the indices go on past
// the size and past 2^32.
func TestTransmitRing(t *testing.T) {
	r, memory := testRing(16)
	at := func(offset int) uint32 { return binary.NativeEndian.Uint32(memory[offset:]) }
	r.own = 1<<32 - 3 // after 2^32 - 3 frames
	binary.NativeEndian.PutUint32(memory[64:], 1<<32-3)
	if r.Room() != 8 || r.Under() != 0 {
		t.Errorf("an empty ring of 8 has room for %d, %d under way", r.Room(), r.Under())
	}
	for i := range uint32(5) {
		*r.Descriptor(i) = unix.XDPDesc{Addr: uint64(i) << 32, Len: 60 + i, Options: 2}
	}
	r.Submit(5)
	if at(0) != 2 || r.Room() != 3 || r.Under() != 5 {
		t.Errorf("the producer is %d, room for %d, %d under way; want 2, 3, 5", at(0), r.Room(), r.Under())
	}
	for i, want := range []string{"\x00\x00\x00\x00\x03\x00\x00\x00\x3f\x00\x00\x00\x02\x00\x00\x00",
		"\x00\x00\x00\x00\x04\x00\x00\x00\x40\x00\x00\x00\x02\x00\x00\x00"} {
		if got := string(memory[192+16*i:][:16]); got != want { // the fourth and fifth are entries 0 and 1
			t.Errorf("entry %d is % x, want % x", i, got, want)
		}
	}
	binary.NativeEndian.PutUint32(memory[64:], 1) // the kernel took four
	if r.Room() != 7 || r.Under() != 1 {
		t.Errorf("room for %d, %d under way; want 7, 1", r.Room(), r.Under())
	}
}

func TestCompletionRing(t *testing.T) {
	r, memory := testRing(8)
	r.own = 6
	binary.NativeEndian.PutUint32(memory[0:], 9)
	for i, address := range []uint64{4096, 0, 0, 0, 0, 0, 8192, 12288} {
		binary.NativeEndian.PutUint64(memory[192+8*i:], address)
	}
	if r.Ready() != 3 || *r.Address(0) != 8192 || *r.Address(1) != 12288 || *r.Address(2) != 4096 {
		t.Errorf("%d ready: %d, %d, %d", r.Ready(), *r.Address(0), *r.Address(1), *r.Address(2))
	}
	r.Release(3)
	if got := binary.NativeEndian.Uint32(memory[64:]); got != 9 || r.Ready() != 0 {
		t.Errorf("the consumer is %d, %d ready", got, r.Ready())
	}
}

func TestNeedsWakeup(t *testing.T) {
	r, memory := testRing(8)
	if r.NeedsWakeup() {
		t.Error("asks for a call")
	}
	memory[128] = 1 // XDP_RING_NEED_WAKEUP
	if !r.NeedsWakeup() {
		t.Error("asks for no call")
	}
}
