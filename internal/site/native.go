package site

import (
	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	xdp "github.com/cilium/ebpf/link"
)

// NativeXDP tells whether the driver of the port runs XDP programs. Of a veth that
// is known; a macvlan device has none, whatever its parent; a device of the host is
// tried.
func (p *Port) NativeXDP() bool {
	switch {
	case p.lower != nil:
		return false
	case !p.physical:
		return true
	}
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_try", Type: ebpf.XDP, License: "Apache-2.0",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, 2), asm.Return()}, // XDP_PASS
	})
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

// nativeMTU is the largest MTU of a veth to which native XDP attaches: a frame has to
// fit into a page beside its headroom and what the kernel keeps about it.
const nativeMTU = 3506

// NoNativeXDP says why N3 or N6 has none.
const NoNativeXDP = "N3 or N6 has no native XDP: a macvlan device never has, nor a veth with an mtu over 3506"

// NativeXDP tells whether N3 and N6 of the UPF both run XDP programs in the driver: a
// program in one cannot redirect to the other else.
func (t *Testbed) NativeXDP() bool {
	if !t.UPFN3.physical && t.Spec.MTU > nativeMTU {
		return false
	}
	return t.UPFN3.NativeXDP() && t.UPFN6.NativeXDP()
}
