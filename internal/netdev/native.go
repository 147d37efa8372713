package netdev

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	xdp "github.com/cilium/ebpf/link"
)

// NativeXDP reports whether the driver of the port runs XDP programs. Of a veth that
// is known; a macvlan device has none, whatever its parent; a device of the host is
// tried.
func (p *Port) NativeXDP() bool {
	switch {
	case p.Lower != nil:
		return false
	case !p.Physical:
		return true
	}
	program, err := passProgram()
	if err != nil {
		return false
	}
	defer program.Close()
	err = p.NS.Do(func() error {
		l, err := xdp.AttachXDP(xdp.XDPOptions{Program: program, Interface: p.Index, Flags: xdp.XDPDriverMode})
		if err == nil {
			err = l.Close()
		}
		return err
	})
	return err == nil
}

// passProgram passes every frame on.
func passProgram() (*ebpf.Program, error) {
	return ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_try", Type: ebpf.XDP, License: "Apache-2.0",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()}, // XDP_PASS
	})
}
