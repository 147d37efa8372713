// Package window divides a trial into windows of intended time. Engines count what was
// due in each, so that windows in which the machine was disturbed can be left out. For
// BPF programs it is in window.h.
package window

const (
	// Bits is the width of a window: 2^Bits ns, 1.05 ms.
	Bits = 20
	// Width is the same in ns.
	Width = 1 << Bits
	// Size is how many windows a ring holds: those of 0.54 s.
	Size = 512
	// remembered is for how many windows the verdict on them is known: 275 s.
	remembered = 1 << 18
)

// ID is the window of a time, ns of CLOCK_MONOTONIC. It is never 0.
func ID(ns uint64) uint64 { return ns >> Bits }

// Bounds are when a window begins and when it has ended, ns of CLOCK_MONOTONIC.
func Bounds(id uint64) (from, to uint64) { return id << Bits, (id + 1) << Bits }

// Head says which window a slot of a ring is about. It is the first of what each slot
// holds.
type Head struct {
	id      uint64 // 0: none
	refused uint64 // the newest window that found the slot taken by another one
	partial uint32 // what came before the slot was free is missing
	_       uint32
}

func (h *Head) head() *Head { return h }

// State is what was decided about windows.
type State struct {
	folded uint64 // all windows before this one were decided on
	kept   [remembered / 64]uint64
}

// Sent is what a source did in a window.
type Sent struct {
	Head
	Packets, Skipped, Late, Stalls uint64
	Flows                          [2]struct{ Packets, Bytes uint64 } // of a mixture
	_                              [5]uint64
	Lateness                       Values
}

// Received is what a sink saw of a window.
type Received struct {
	Head
	Packets, Bytes         uint64
	JitterSum, JitterCount uint64
	Marked                 uint64 // packets with the mark of congestion
	Latency, Actual, IPDV  Values
}
