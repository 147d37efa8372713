// Package forward is a UPF's forwarding in user space: it parses frames, looks up
// the sessions' rules, and takes tunnel headers off or puts them on. It does no I/O,
// reads no clock and starts no goroutine: a datapath on packet sockets or a TUN device
// gives it what it received and sends what it writes.
//
// A Forwarder works on Ethernet frames with IPv4 in them. A datapath without
// Ethernet uses its Table alone: Decapsulate takes a GTP-U message as a UDP socket
// gives it, Encapsulate an IP packet as a TUN device does.
//
// A packet takes two steps: Decide says what becomes of it, Write makes the frame to
// be sent. In between the caller finds memory for it, or loses it. Neither
// allocates, so that a batch is a loop over both.
//
// It forwards as package xdp does, to the octet: both are tested with the same frames.
// Error Indications are the caller's.
package forward
