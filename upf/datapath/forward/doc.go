// Package forward is a UPF's forwarding in user space: it parses frames, looks up
// the sessions' rules, and takes tunnel headers off or puts them on. It does no I/O,
// reads no clock and starts no goroutine: a datapath on packet sockets or a TUN device
// gives it what it received and sends what it writes.
//
// A packet takes two steps: Decide says what becomes of it, Write makes the frame to
// be sent. In between the caller finds memory for it, or loses it. Neither
// allocates, so that a batch is a loop over both.
//
// Decide takes Ethernet frames with IPv4 or IPv6 in them. A datapath without Ethernet has
// DecideMessage for a GTP-U message as a UDP socket gives it, and DecidePacket for an
// IP packet as a TUN device does. It sends the T-PDU itself, behind its
// Tunnel's header downlink, and counts it by Forwarded.
//
// It forwards as package xdp does, to the octet: both are tested with the same frames.
// Error Indications are the caller's.
package forward
