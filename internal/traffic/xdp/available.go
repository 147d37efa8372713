package xdp

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
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
	return sendLive(p, make([]byte, 64))
}
