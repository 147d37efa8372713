package tpacket

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/unicast"
)

// restrict has the kernel leave out frames by their destination and their length.
func (p *Port) restrict(c Config) error {
	if !c.Own && c.Longer == 0 && c.AtMost == 0 {
		return nil
	}
	longer, atMost := c.Longer, c.AtMost
	if atMost == 0 {
		atMost = 1 << 20
	}
	var program []unix.SockFilter
	if c.Own {
		program = []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: unicast.PacketType},
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.PACKET_HOST, Jf: 4},
		}
	}
	program = append(program, []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_LEN},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: uint32(longer), Jf: 2},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: uint32(atMost), Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 20},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}...)
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.SetsockoptSockFprog(p.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter); err != nil {
		return fmt.Errorf("receive some frames alone: %w", err)
	}
	return nil
}
