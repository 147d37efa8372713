package n3socket

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/socket/unicast"
)

// Config says where N3 is, in the network namespace of the calling thread.
type Config struct {
	Address   netip.Addr // of either family
	Interface string     // the only one that packets may come in by
	Workers   int        // sockets for G-PDUs, 1..MaxWorkers
}

func (c Config) family() int {
	if c.Address.Is6() {
		return unix.AF_INET6
	}
	return unix.AF_INET
}

func (c Config) network() string {
	if c.Address.Is6() {
		return "udp6"
	}
	return "udp4"
}

// local is what the sockets are bound to.
func (c Config) local() unix.Sockaddr {
	if c.Address.Is6() {
		return &unix.SockaddrInet6{Port: gtpu.Port, Addr: c.Address.As16()}
	}
	return &unix.SockaddrInet4{Port: gtpu.Port, Addr: c.Address.As4()}
}

// subnet is an example of one that has the address.
func (c Config) subnet() netip.Prefix {
	if c.Address.Is6() {
		return netip.PrefixFrom(c.Address, 64)
	}
	return netip.PrefixFrom(c.Address, 24)
}

// MaxWorkers is the most sockets that a group has for G-PDUs.
const MaxWorkers = 64

// Group is sockets that share N3's address and port.
type Group struct {
	// Signalling receives what is no G-PDU. Whoever has the group closes it with the
	// group.
	Signalling *Signalling
	Workers    []*Socket
}

// Open opens the sockets. An address that another program has is refused.
func Open(c Config) (*Group, error) {
	if c.Workers < 1 || c.Workers > MaxWorkers {
		return nil, fmt.Errorf("%d workers: give 1..%d", c.Workers, MaxWorkers)
	}
	g := &Group{}
	if err := g.open(c); err != nil {
		return nil, errors.Join(fmt.Errorf("open N3 (GTP-U) on UDP %v port %d: %w", c.Address, gtpu.Port, err), g.Close())
	}
	return g, nil
}

func (g *Group) open(c Config) (err error) {
	if err := unused(c); err != nil {
		return err
	}
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error {
		var failed error
		err := raw.Control(func(fd uintptr) {
			failed = errors.Join(share(int(fd), c.Interface), c.join(int(fd)), unicast.Only(int(fd)))
		})
		return errors.Join(err, failed)
	}}
	at := netip.AddrPortFrom(c.Address, gtpu.Port).String()
	conn, err := config.ListenPacket(context.Background(), c.network(), at)
	if err != nil {
		return err
	}
	g.Signalling = newSignalling(conn.(*net.UDPConn))
	for range c.Workers {
		s, err := openSocket(c)
		if err != nil {
			return err
		}
		g.Workers = append(g.Workers, s)
	}
	return g.Workers[0].steer(c.Workers)
}

// unused binds the port without sharing it: it would be shared with another UPF of
// the same user unnoticed.
func unused(c Config) error {
	fd, err := unix.Socket(c.family(), unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	err = unix.Bind(fd, c.local())
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return fmt.Errorf("%w: another program has the port; see `ss -lunp sport = :%d`", err, gtpu.Port)
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return fmt.Errorf("%w: no interface has the address; add it by `ip address add %v dev %s`", err, c.subnet(), c.Interface)
	}
	return err
}

// share makes a socket one of the group.
func share(fd int, device string) error {
	if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_REUSEPORT, 1); err != nil {
		return fmt.Errorf("share the port: %w", err)
	}
	if err := unix.SetsockoptString(fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, device); err != nil {
		return fmt.Errorf("bind to interface %q: %w: see `ip link`", device, err)
	}
	return nil
}

// Close closes all of them.
func (g *Group) Close() error {
	var errs []error
	if g.Signalling != nil {
		if err := g.Signalling.Close(); !errors.Is(err, net.ErrClosed) {
			errs = append(errs, err)
		}
	}
	for _, s := range g.Workers {
		errs = append(errs, unix.Close(s.fd))
	}
	g.Workers = nil
	return errors.Join(errs...)
}
