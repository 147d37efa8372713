// Package unicast keeps a UDP or raw socket to single hosts: it answers none that only a forged source can be, and
// takes nothing that was sent to a whole link.
package unicast

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// Only has the kernel refuse to send to broadcast addresses, those of its subnets of now included, which no host
// has (RFC 1122 clause 3.2.1.3); net.ListenConfig allows it. And it has the kernel drop datagrams that came in a
// frame to another MAC address, or to several (clause 3.3.6).
func Only(fd int) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_BROADCAST, 0); err != nil {
		return os.NewSyscallError("setsockopt SO_BROADCAST", err)
	}
	host := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: PacketType},
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.PACKET_HOST, Jf: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 20},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	filter := unix.SockFprog{Len: uint16(len(host)), Filter: &host[0]}
	return os.NewSyscallError("setsockopt SO_ATTACH_FILTER", unix.SetsockoptSockFprog(fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter))
}

// Control is Only as a net.ListenConfig takes it.
func Control(raw syscall.RawConn) error {
	var failed error
	err := raw.Control(func(fd uintptr) { failed = Only(int(fd)) })
	return errors.Join(err, failed)
}

// PacketType is the offset of a packet's PACKET_HOST and the like for a classic BPF program.
const PacketType = 0xfffff000 + 4 // SKF_AD_OFF + SKF_AD_PKTTYPE
