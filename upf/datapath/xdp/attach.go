package xdp

import (
	"errors"
	"fmt"

	"github.com/cilium/ebpf/link"
	"golang.org/x/sys/unix"
)

// attach puts the programs on the ports, all in one mode: a native program
// cannot redirect to a driver that has no native XDP.
func (d *Datapath) attach(mode Mode) error {
	first := mode
	if mode == Auto {
		first = Native
	}
	links, err := attachAll(d.ports, first)
	if err != nil && mode == Auto && canFallBack(err) {
		d.refusal, first = err, Generic
		links, err = attachAll(d.ports, first)
	}
	if err != nil {
		return errors.Join(err, d.refusal)
	}
	d.links, d.mode = links, first
	return nil
}

// canFallBack reports whether generic mode may work: the driver refused, and not
// for a reason that holds in both modes.
func canFallBack(err error) bool {
	return !errors.Is(err, unix.EBUSY) && !errors.Is(err, unix.EEXIST) && !errors.Is(err, unix.EPERM)
}

func attachAll(ports []port, mode Mode) ([]link.Link, error) {
	var links []link.Link
	for _, p := range ports {
		l, err := attachPort(p, mode)
		if err != nil {
			return nil, errors.Join(err, closeLinks(links))
		}
		links = append(links, l)
	}
	return links, nil
}

func attachPort(p port, mode Mode) (link.Link, error) {
	flags := link.XDPDriverMode
	if mode == Generic {
		flags = link.XDPGenericMode
	}
	l, err := link.AttachXDP(link.XDPOptions{Program: p.program, Interface: p.index, Flags: flags})
	switch {
	case errors.Is(err, unix.EBUSY), errors.Is(err, unix.EEXIST):
		return nil, fmt.Errorf("xdp: attach to %s: another XDP program is there: %w: stop its owner, or ip link set dev %s xdp off",
			p.name, err, p.name)
	case errors.Is(err, unix.EPERM):
		return nil, fmt.Errorf("xdp: attach to %s: %w: run as root, or with CAP_NET_ADMIN", p.name, err)
	case err != nil:
		return nil, fmt.Errorf("xdp: attach to %s in %s mode: %w: try mode generic, or a smaller MTU", p.name, mode, err)
	}
	return l, nil
}

func closeLinks(links []link.Link) error {
	var errs []error
	for _, l := range links {
		errs = append(errs, l.Close())
	}
	return errors.Join(errs...)
}
