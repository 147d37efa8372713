// Package n4load loads the N4 of a UPF with procedures of sessions: at a rate, whether answers come or not
// (an open loop, [Load.Offer]), or as fast as answers come (a closed loop, [Load.Drive]). It
// knows nothing of how UPFs are started; requests and answers are those of package smf.
//
// Latency counts from the time at which a procedure was due to when the kernel took its last answer. A
// [Responder] that accepts everything shows which part of the latency, and of the rate, is that of the
// sender itself.
package n4load
