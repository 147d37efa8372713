// Package afpacket is the engine that sends and receives by packet sockets: it
// needs no BPF and no root beyond a network namespace of its own, and works on
// every interface.
//
// One thread sends. It spins on its CPU until a slot is due and hands the frames
// that are due to the kernel by sendmmsg, past the queueing discipline. Another
// thread reads TPACKET_V3 rings, in which the kernel has written when it received
// each frame. Sending a frame costs a system call and a copy, so this engine
// reaches a tenth of what the XDP engine does, and its frames leave some
// microseconds after they were due; a trial shows both.
package afpacket
