// Package afpacket is a datapath on packet sockets: rings that the kernel writes received
// frames to (TPACKET_V2, frame by frame: blocks of version 3 come a millisecond late). Frames
// are sent from where they were received, behind new headers.
//
// What the kernel cuts into frames leaves by sendmmsg, and nothing is copied in user space. A
// single frame is copied to an AF_XDP socket's memory: that takes two thirds of the time, since
// the kernel does less with each. It passes no queueing discipline, so where the interface has
// one that somebody set up, or the worker has no queue of its own, single frames leave by
// sendmmsg, too; and while packets are captured.
//
// Each worker is a thread with sockets on N3 and N6, to which the kernel spreads frames by
// TEID and by the UE's address. It sleeps when there is nothing. What the rings hold
// uncut, or without its checksum, is cut and finished.
//
// A classifier keeps the kernel from handling the same packets.
package afpacket
