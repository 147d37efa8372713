// Package tpacket moves whole Ethernet frames between a network interface and
// user space: received ones through a ring that is shared with the kernel
// (TPACKET_V2 of packet(7)), sent ones by sendmmsg past the queueing
// discipline.
//
// The ring is read without system calls, so that a thread that polls it sees a
// frame within a microsecond of the kernel's writing it. Version 2 hands over
// frame by frame; version 3 hands over blocks, which a quiet link fills only
// when a timeout of a millisecond or more ends.
//
// The kernel goes on handling what is received here: who wants a frame for
// itself takes it from the kernel behind the ring, for instance by a classifier
// at the interface's ingress.
package tpacket
