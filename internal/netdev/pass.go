package netdev

import (
	"fmt"

	"github.com/cilium/ebpf"
	xdp "github.com/cilium/ebpf/link"
)

// PassAll puts an XDP program on a veth that passes each frame on. A veth receives what the XDP
// program at its other end sends back out (XDP_TX) only with a program of its own; GRO, which
// suffices for plain and redirected frames, does not. detach is nil for a device that is no veth:
// it receives whatever is on its wire.
func (p *Port) PassAll() (detach func() error, err error) {
	link, err := p.NS.nl.LinkByIndex(p.Index)
	if err != nil {
		return nil, fmt.Errorf("find %s in %s: %w", p.Name, p.NS.Name, err)
	}
	if link.Type() != "veth" {
		return nil, nil
	}
	program, err := passProgram()
	if err != nil {
		return nil, fmt.Errorf("load an XDP program for %s: %w", p.Name, err)
	}
	defer program.Close() // the attachment holds it
	return p.AttachXDP(program)
}

// AttachXDP puts a program into the driver of the port.
func (p *Port) AttachXDP(program *ebpf.Program) (detach func() error, err error) {
	err = p.NS.Do(func() error {
		l, err := xdp.AttachXDP(xdp.XDPOptions{Program: program, Interface: p.Index, Flags: xdp.XDPDriverMode})
		if err != nil {
			return fmt.Errorf("attach an XDP program to %s: %w", p.Name, err)
		}
		detach = l.Close
		return nil
	})
	return detach, err
}
