// Package n4load loads the N4 of a UPF: procedures of sessions at a rate, whether answers
// come or not (an open loop), or as fast as answers come (a closed one). It
// knows nothing of how UPFs are started.
//
// Latency counts from the time at which a procedure was due to when the kernel took its
// last answer. A [Responder] that accepts everything shows what of that,
// and of the rate, is the sender's own.
package n4load
