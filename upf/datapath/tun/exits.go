package tun

import (
	"errors"
	"fmt"
	"net/netip"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/unicast"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/datapath/n3socket"
	"github.com/upflab/upflab/upf/session"
)

// exits are the sockets of tunnels on N6, which all workers send by and the first reads: the
// kernel puts the outer headers on, and takes them off.
type exits []exitSocket

// exitSocket is that of a kind of tunnel, and of what the outer header says is in it.
type exitSocket struct {
	fd       int
	kind     session.Encapsulation
	protocol byte // UDP, or that of an IP packet in an IP packet
}

const protocolUDP = unix.IPPROTO_UDP

// openExits opens those that there are addresses for.
func openExits(c Config) (all exits, err error) {
	for _, s := range []exitSocket{
		{kind: session.UDPv4, protocol: protocolUDP}, {kind: session.UDPv6, protocol: protocolUDP},
		{kind: session.IPv4, protocol: forward.ProtocolIPv4}, {kind: session.IPv4, protocol: forward.ProtocolIPv6},
		{kind: session.IPv6, protocol: forward.ProtocolIPv4}, {kind: session.IPv6, protocol: forward.ProtocolIPv6},
	} {
		if c.N6Tunnels.Check(s.kind) != nil {
			continue
		}
		if s.fd, err = openExit(c, s); err != nil {
			return nil, errors.Join(fmt.Errorf("open tunnels of %v on N6 at %v: %w", s.kind, c.N6Tunnels.Local(s.kind), err), all.close())
		}
		all = append(all, s)
	}
	return all, nil
}

func openExit(c Config, s exitSocket) (fd int, err error) {
	family, typ, protocol := unix.AF_INET, unix.SOCK_RAW, int(s.protocol)
	if s.kind.IsIPv6() {
		family = unix.AF_INET6
	}
	if s.kind.HasUDP() {
		typ, protocol = unix.SOCK_DGRAM, 0
	}
	if fd, err = unix.Socket(family, typ|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, protocol); err != nil {
		return -1, err
	}
	if err = setUpExit(fd, c, s.kind); err != nil {
		return -1, errors.Join(err, unix.Close(fd))
	}
	return fd, nil
}

// setUpExit has a socket do as the other datapaths: no DF, over IPv4 no UDP checksum, and over
// IPv6 one of 0 is taken (RFC 6935).
func setUpExit(fd int, c Config, kind session.Encapsulation) error {
	if err := unix.SetsockoptString(fd, unix.SOL_SOCKET, unix.SO_BINDTODEVICE, c.N6); err != nil {
		return err
	}
	switch {
	case kind == session.UDPv6:
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_UDP, unix.UDP_NO_CHECK6_RX, 1); err != nil {
			return err
		}
	case kind == session.UDPv4:
		if err := unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_NO_CHECK, 1); err != nil {
			return err
		}
	}
	if !kind.IsIPv6() {
		if err := unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IP_PMTUDISC_DONT); err != nil {
			return err
		}
	}
	if err := errors.Join(n3socket.ReceiveTOS(fd, kind.IsIPv6()), unicast.Only(fd)); err != nil {
		return err
	}
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, exitBuffer)
	port := 0
	if kind.HasUDP() {
		port = int(c.N6Tunnels.Port)
	}
	return unix.Bind(fd, sockaddr(c.N6Tunnels.Local(kind), port))
}

// exitBuffer holds packets that wait, octets.
const exitBuffer = 4 << 20

func sockaddr(a netip.Addr, port int) unix.Sockaddr {
	if a.Is6() {
		return &unix.SockaddrInet6{Addr: a.As16(), Port: port}
	}
	return &unix.SockaddrInet4{Addr: a.As4(), Port: port}
}

func (x exits) close() error {
	var errs []error
	for _, s := range x {
		errs = append(errs, unix.Close(s.fd))
	}
	return errors.Join(errs...)
}

// of is the socket that a T-PDU leaves by.
func (x exits) of(e *forward.Exit, tpdu []byte) (fd int, found bool) {
	for _, s := range x {
		if s.kind == e.Kind && (s.protocol == protocolUDP || (s.protocol == forward.ProtocolIPv6) == (tpdu[0]>>4 == 6)) {
			return s.fd, true
		}
	}
	return -1, false
}

// leaving is a packet on its way into a tunnel on N6.
type leaving struct {
	exit *forward.Exit
	tpdu []byte
}

// send hands it to the kernel; false: that did not take it. The marking is the caller's.
func (x exits) send(p leaving, marking *n3socket.Marking) bool {
	fd, found := x.of(p.exit, p.tpdu)
	if !found {
		return false
	}
	var oob []byte
	if m := p.exit.TOS(p.tpdu); m != 0 {
		oob = marking.Of(p.exit.Kind.IsIPv6(), m)
	}
	return unix.Sendmsg(fd, p.tpdu, oob, sockaddr(p.exit.Peer, int(p.exit.Port)), unix.MSG_DONTWAIT) == nil
}
