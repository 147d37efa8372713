// Package afpacket is a datapath on packet sockets: rings that the kernel writes received
// frames to (TPACKET_V2, frame by frame: blocks of version 3 come a millisecond late), and
// sendmmsg past the queueing discipline. Frames are sent from where they were received,
// behind new headers; nothing is copied in user space.
//
// Each worker is a thread with sockets on N3 and N6, to which the kernel spreads frames by
// TEID and by the UE's address. It sleeps when there is nothing. What the rings hold
// uncut, or without its checksum, is cut and finished.
//
// A classifier keeps the kernel from handling the same packets.
package afpacket
