package tpacket

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Field is where in a packet the 32 bits are by which frames are spread.
type Field int

// The fields. They keep the packets of a tunnel, or to an address, together.
const (
	// TEID is that of a G-PDU. What is no UDP over IPv4 goes by the source address.
	TEID Field = iota
	// Destination is the destination address of IPv4, of IPv6 what of it names a UE: the
	// second half of its prefix of 64 bits.
	Destination
)

// Spread has the kernel give each frame of an interface to one of the ports, by a field.
// All of them are of that interface, and receive the same kinds of frames. Until it
// returns, frames may come to several.
func Spread(by Field, ports []*Port) error {
	if len(ports) < 2 {
		return nil
	}
	group := 0
	for i, p := range ports {
		kind := unix.PACKET_FANOUT_CBPF
		if i == 0 {
			kind |= unix.PACKET_FANOUT_FLAG_UNIQUEID
		}
		if err := unix.SetsockoptInt(p.fd, unix.SOL_PACKET, unix.PACKET_FANOUT, group|kind<<16); err != nil {
			return fmt.Errorf("afpacket: spread the frames of %s over %d sockets: %w", p.name, len(ports), err)
		}
		if i > 0 {
			continue
		}
		id, err := unix.GetsockoptInt(p.fd, unix.SOL_PACKET, unix.PACKET_FANOUT)
		if err != nil {
			return fmt.Errorf("afpacket: find the group of %s: %w", p.name, err)
		}
		group = id & 0xffff
	}
	program := by.program()
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.SetsockoptSockFprog(ports[0].fd, unix.SOL_PACKET, unix.PACKET_FANOUT_DATA, &filter); err != nil {
		return fmt.Errorf("afpacket: choose sockets of %s: %w", ports[0].name, err)
	}
	return nil
}

// program gives the field's value; the kernel takes the rest of a division.
func (f Field) program() []unix.SockFilter {
	const (
		network = 0xfff00000 // SKF_NET_OFF: offsets from the IP header
		octet   = unix.BPF_LD | unix.BPF_B | unix.BPF_ABS
		word    = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		udp     = 17
	)
	if f == Destination {
		return []unix.SockFilter{
			{Code: octet, K: network},
			{Code: unix.BPF_ALU | unix.BPF_RSH | unix.BPF_K, K: 4},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: 6, Jf: 2},
			{Code: word, K: network + 24 + 4},
			{Code: unix.BPF_RET | unix.BPF_A},
			{Code: word, K: network + 16},
			{Code: unix.BPF_RET | unix.BPF_A},
		}
	}
	return []unix.SockFilter{
		{Code: octet, K: network + 9},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: udp, Jf: 6},
		{Code: octet, K: network},
		{Code: unix.BPF_ALU | unix.BPF_AND | unix.BPF_K, K: 0xf},
		{Code: unix.BPF_ALU | unix.BPF_LSH | unix.BPF_K, K: 2},
		{Code: unix.BPF_MISC | unix.BPF_TAX},
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_IND, K: network + 8 + 4},
		{Code: unix.BPF_RET | unix.BPF_A},
		{Code: word, K: network + 12},
		{Code: unix.BPF_RET | unix.BPF_A},
	}
}
