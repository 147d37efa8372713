package xdp

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"golang.org/x/sys/unix"
)

// Available tries whether the engine works here: it loads a program and runs it on
// one live frame, which it drops. The error says what is missing.
func Available() error {
	const drop = 1 // XDP_DROP
	p, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_try", Type: ebpf.XDP, License: "Dual BSD/GPL",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, drop), asm.Return()},
	})
	if err != nil {
		return loadError("smallest XDP program", err)
	}
	defer p.Close()
	_, err = p.Run(&ebpf.RunOptions{Data: make([]byte, 64), Repeat: 1, BatchSize: 1, Flags: unix.BPF_F_TEST_XDP_LIVE_FRAMES})
	if errors.Is(err, unix.EINVAL) {
		return fmt.Errorf("run an XDP live frame: %w (Linux 5.18 or later is needed)", err)
	}
	if err != nil {
		return fmt.Errorf("run an XDP live frame: %w", err)
	}
	return nil
}
