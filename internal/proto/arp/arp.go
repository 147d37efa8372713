// Package arp writes and reads ARP for IPv4 over Ethernet (RFC 826).
package arp

import (
	"encoding/binary"
	"net/netip"
)

// EtherType of an Ethernet frame with ARP.
const EtherType = 0x0806

// Operations.
const (
	Request = 1
	Reply   = 2
)

const (
	frameBytes = 42 // of the frame, with the Ethernet header
	leastFrame = 60 // without its checksum
)

// Broadcast is the MAC address of everybody on a link.
var Broadcast = [6]byte{0xff, 0xff, 0xff, 0xff, 0xff, 0xff}

// Frame is an Ethernet frame of the least length: from asks for the MAC address of target, or
// tells to whom sender belongs.
func Frame(operation uint16, from, to [6]byte, sender, target netip.Addr) []byte {
	b := make([]byte, 0, leastFrame)
	b = append(append(b, to[:]...), from[:]...)
	b = append(b, 0x08, 0x06, 0, 1, 0x08, 0, 6, 4)
	b = binary.BigEndian.AppendUint16(b, operation)
	b = append(append(b, from[:]...), sender.AsSlice()...)
	if operation == Request {
		to = [6]byte{}
	}
	b = append(append(b, to[:]...), target.AsSlice()...)
	return b[:leastFrame]
}

// Message is what a frame says.
type Message struct {
	Operation uint16
	MAC       [6]byte // the sender's
	Sender    netip.Addr
	Target    netip.Addr
}

// Parse reads an Ethernet frame; false: it is no ARP for IPv4.
func Parse(frame []byte) (m Message, ok bool) {
	if len(frame) < frameBytes || binary.BigEndian.Uint16(frame[12:]) != EtherType || [6]byte(frame[14:]) != [6]byte{0, 1, 8, 0, 6, 4} {
		return m, false
	}
	return Message{binary.BigEndian.Uint16(frame[20:]), [6]byte(frame[22:]),
		netip.AddrFrom4([4]byte(frame[28:])), netip.AddrFrom4([4]byte(frame[38:]))}, true
}
