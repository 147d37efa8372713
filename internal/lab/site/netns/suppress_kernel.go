package netns

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/asm"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// suppressKernel takes the ports' frames away from the kernel's own protocols, behind the
// packet sockets, which have their copy by then. They count as consumed, not
// as dropped. Packet sockets bound to one protocol come later and get nothing: a
// UPF binds to all (ETH_P_ALL).
func (t *Testbed) suppressKernel(ports ...netdev.Port) error {
	if len(ports) == 0 {
		return nil
	}
	if err := t.upf.Sysctl("ipv4/ip_forward", "0"); err != nil {
		return err
	}
	const stolen = 4 // TC_ACT_STOLEN
	program, err := ebpf.NewProgram(&ebpf.ProgramSpec{
		Name: "upflab_silence", Type: ebpf.SchedCLS, License: "Apache-2.0",
		Instructions: asm.Instructions{asm.Mov.Imm(asm.R0, stolen), asm.Return()},
	})
	if err != nil {
		return fmt.Errorf("load the program that keeps the kernel silent: %w", err)
	}
	defer program.Close() // its filters hold it
	for _, p := range ports {
		if err := addFilter(&p, program); err != nil {
			return fmt.Errorf("keep the kernel silent on %s: %w (CONFIG_NET_SCH_INGRESS and CONFIG_NET_CLS_BPF are needed)", p.Name, err)
		}
	}
	return nil
}

// addFilter runs a classifier on all that the port receives. It may do so already: for a
// UPF that was killed and is started again.
func addFilter(p *netdev.Port, program *ebpf.Program) error {
	const clsact = 0xffff0000
	qdisc := &netlink.GenericQdisc{QdiscType: "clsact", QdiscAttrs: netlink.QdiscAttrs{
		LinkIndex: p.Index, Handle: clsact, Parent: netlink.HANDLE_CLSACT}}
	if err := p.NS.Netlink().QdiscAdd(qdisc); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	return p.NS.Netlink().FilterReplace(&netlink.BpfFilter{
		FilterAttrs: netlink.FilterAttrs{LinkIndex: p.Index, Parent: netlink.HANDLE_MIN_INGRESS, Handle: 1,
			Protocol: unix.ETH_P_ALL, Priority: 1},
		Fd: program.FD(), Name: "upflab_silence", DirectAction: true,
	})
}
