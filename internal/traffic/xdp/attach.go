package xdp

import (
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// attachXDP puts a program on a port: in the driver where it can, else generic.
func attachXDP(p *ebpf.Program, port netdev.Port) (l link.Link, generic bool, err error) {
	err = port.NS.Do(func() error {
		var err error
		for _, mode := range []link.XDPAttachFlags{link.XDPDriverMode, link.XDPGenericMode} {
			generic = mode == link.XDPGenericMode
			l, err = link.AttachXDP(link.XDPOptions{Program: p, Interface: port.Index, Flags: mode})
			if err == nil {
				return nil
			}
		}
		return fmt.Errorf("attach the sink to %s: %w (is another XDP program there? `ip link set %s xdp off`)",
			port.Name, err, port.Name)
	})
	return l, generic, err
}
