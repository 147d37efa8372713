package xdpchain

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf"
	"github.com/cilium/ebpf/link"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// replace attaches a program in another's place, by BPF link or netlink as that was.
func replace(p netdev.Port, old, new *ebpf.Program) (undo func() error, err error) {
	l, err := linkOf(p, old)
	if err != nil {
		return nil, err
	}
	if l != nil {
		if err := l.Update(new); err != nil {
			return nil, errors.Join(fmt.Errorf("replace the XDP program of %s: %w", p.Name, err), l.Close())
		}
		return func() error { return errors.Join(l.Update(old), l.Close()) }, nil
	}
	device, err := p.NS.Netlink().LinkByIndex(p.Index)
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", p.Name, err)
	}
	flags := unix.XDP_FLAGS_DRV_MODE
	if x := device.Attrs().Xdp; x != nil && x.AttachMode == nl2generic {
		flags = unix.XDP_FLAGS_SKB_MODE
	}
	set := func(program *ebpf.Program) error {
		return p.NS.Do(func() error { return netlink.LinkSetXdpFdWithFlags(device, program.FD(), flags) })
	}
	if err := set(new); err != nil {
		return nil, fmt.Errorf("replace the XDP program of %s: %w", p.Name, err)
	}
	return func() error { return set(old) }, nil
}

// nl2generic is XDP_ATTACHED_SKB of linux/if_link.h.
const nl2generic = 2

// linkOf finds the BPF link that attaches a port's program; nil when netlink attached
// it.
func linkOf(p netdev.Port, program *ebpf.Program) (link.Link, error) {
	info, err := program.Info()
	if err != nil {
		return nil, err
	}
	id, _ := info.ID()
	it := &link.Iterator{}
	defer it.Close()
	for it.Next() {
		i, err := it.Link.Info()
		if err != nil {
			continue
		}
		if x := i.XDP(); x != nil && i.Program == id && int(x.Ifindex) == p.Index {
			return it.Take(), nil
		}
	}
	return nil, nil
}
