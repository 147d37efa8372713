package afpacket

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// restrict has the kernel leave out frames by their length.
func (p *Port) restrict(longer, atMost int) error {
	if longer == 0 && atMost == 0 {
		return nil
	}
	if atMost == 0 {
		atMost = 1 << 20
	}
	program := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_LEN},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: uint32(longer), Jf: 2},
		{Code: unix.BPF_JMP | unix.BPF_JGT | unix.BPF_K, K: uint32(atMost), Jt: 1},
		{Code: unix.BPF_RET | unix.BPF_K, K: 1 << 20},
		{Code: unix.BPF_RET | unix.BPF_K, K: 0},
	}
	filter := unix.SockFprog{Len: uint16(len(program)), Filter: &program[0]}
	if err := unix.SetsockoptSockFprog(p.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &filter); err != nil {
		return fmt.Errorf("receive frames of some lengths alone: %w", err)
	}
	return nil
}
