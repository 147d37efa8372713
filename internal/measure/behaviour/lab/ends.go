package lab

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// ends are the tester's ends of N3 and N6, which receive whatever a UPF sends: packet sockets, and what keeps kernels from
// dropping frames or answering them.
type ends struct {
	site    site.Site
	n3, n6  port
	passing []func() error // detach the programs with which the ends receive everything
	sinks   []*net.UDPConn // take what is sent to the gNBs and hosts
}

// listen opens the packet sockets, at ends that receive whatever a UPF sends.
func (e *ends) listen() error {
	links := e.site.Links()
	if _, err := e.site.PrepareReceive(site.Receive{SinkNAPI: true}); err != nil {
		return err
	}
	if err := e.passAll(); err != nil {
		return err
	}
	if err := e.n3.open(&links.GNB, &links.UPFN3); err != nil {
		return err
	}
	return e.n6.open(&links.DNN6, &links.UPFN6)
}

// passAll puts a program on the tester's ends and on those of bridges towards the UPF, where the
// UPF's own ports can have one: then its frames may come by XDP_TX.
func (e *ends) passAll() error {
	links := e.site.Links()
	ends := []*netdev.Port{&links.GNB, &links.DNN6}
	for _, between := range []*site.Between{links.N3Between, links.N6Between} {
		if between != nil {
			ends = append(ends, &between.UPF)
		}
	}
	for _, p := range ends {
		detach, err := p.XDP().PassAll()
		switch {
		case err != nil && e.site.OwnsUPF() && !site.NativeXDP(e.site):
			return nil // nor can a UPF have one here
		case errors.Is(err, unix.ERANGE):
			return nil // frames are too long for XDP at either end
		case err != nil:
			return fmt.Errorf("%w: without one %s does not receive what a UPF sends by XDP_TX", err, p.Name)
		case detach != nil:
			e.passing = append(e.passing, detach)
		}
	}
	return nil
}

// passNone takes the programs away.
func (e *ends) passNone() (err error) {
	for _, detach := range e.passing {
		err = errors.Join(err, detach())
	}
	e.passing = nil
	return err
}

// sinkAt has the kernel take what is sent to an address, in place of an answer that the port is
// closed: a UPF that hears such an answer may rightly stop sending. If the port is taken, its owner
// receives it.
func (e *ends) sinkAt(ns *netdev.Namespace, at netip.AddrPort) error {
	conn, err := ns.ListenUDP(at)
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return nil
	case err != nil:
		return fmt.Errorf("the bench cannot take what a UPF sends to %s, so no case is run and nothing is held against the UPF: %w", at, err)
	}
	_ = conn.SetReadBuffer(1) // nothing is read: what is beyond the buffer is dropped
	e.sinks = append(e.sinks, conn)
	return nil
}

// taken asks the links for addresses, where they are not upflab's own.
func (e *ends) taken() func(point string, a netip.Addr) bool {
	if e.site.OwnsUPF() {
		return nil
	}
	return func(point string, a netip.Addr) bool {
		if point == "n3" {
			return e.n3.has(a)
		}
		return e.n6.has(a)
	}
}

// close closes what listens at the tester's ends.
func (e *ends) close() error {
	errs := []error{e.n3.close(), e.n6.close(), e.passNone()}
	for _, conn := range e.sinks {
		errs = append(errs, conn.Close())
	}
	e.sinks = nil
	return errors.Join(errs...)
}
