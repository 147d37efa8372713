// Package impair is a datapath of known behaviour, the calibrator: it forwards as any
// other (package forward), and loses, delays, queues, reorders, duplicates and damages
// packets exactly as its Plan says. A ledger has what it did. upflab's own
// measurements are checked against it.
//
// It works in user space, on one thread that polls the rings of N3 and N6
// without pause. A packet goes through the stages in this order, which are those
// of a Parameters, each direction by itself:
//
//	rules -> loss -> token bucket -> queue and server -> delay and jitter -> stall -> reordering -> damage
//
// All time is CLOCK_MONOTONIC. A packet arrives when the kernel puts it into the ring
// and departs while it is handed to the kernel, to within that call's time. The stages
// between compute with the arrival, so that the result does not depend on when the
// thread gets the CPU; the ledger has the times that came of it.
//
// Random decisions are drawn from one seeded sequence for each direction and
// stage, in the order of arrival: the same seed and the same packets give the
// same decisions.
//
// Not done: Error Indications, and everything that package xdp refuses.
package impair
