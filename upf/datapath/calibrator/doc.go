// Package calibrator is a datapath whose behaviour is known: it forwards as any
// other, and besides loses, delays, queues, reorders, doubles and damages packets
// exactly as it is told, and keeps a ledger of what it did. What measures UPFs
// is proven on it.
//
// It works in user space, on one thread that polls the rings of N3 and N6
// without pause. A packet goes through the stages in this order, which are those
// of a Parameters, each direction by itself:
//
//	rules -> loss -> queue and server -> delay and jitter -> stall -> reordering -> damage
//
// All time is CLOCK_MONOTONIC. A packet arrives when the kernel puts it into the ring
// and departs while it is handed to the kernel, to within that call's time; the stages between compute with
// the arrival, so that what they do does not depend on when the thread gets to
// do it, and the ledger has what it came to.
//
// Random decisions are drawn from one seeded sequence for each direction and
// stage, in the order of arrival: the same seed and the same packets give the
// same decisions.
//
// Done: IPv4 in IPv4 as package xdp does it. Not done: Error Indications, and
// everything that package xdp refuses.
package calibrator
