package netdev

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// ListenUDP opens a UDP socket inside the namespace.
func (n *Namespace) ListenUDP(at netip.AddrPort) (conn *net.UDPConn, err error) {
	err = n.Do(func() error {
		conn, err = net.ListenUDP("udp", net.UDPAddrFromAddrPort(at))
		return err
	})
	if err != nil {
		return nil, cannotListen(at, err)
	}
	return conn, nil
}

// cannotListen says what to do about an address that is not there, or is taken.
func cannotListen(at netip.AddrPort, err error) error {
	switch {
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return fmt.Errorf("listen on UDP %s: no interface here has that address: `ip addr add` gives it to one, or correct the setting: %w", at, err)
	case errors.Is(err, unix.EADDRINUSE):
		return fmt.Errorf("listen on UDP %s: another program has it (`ss -lunp` names it): %w", at, err)
	}
	return fmt.Errorf("listen on UDP %s: %w", at, err)
}

// ListenUDPBy opens a UDP socket whose packets leave by a device, and which hears that
// one alone; "": any.
func (n *Namespace) ListenUDPBy(device string, at netip.AddrPort) (conn *net.UDPConn, err error) {
	var open net.PacketConn
	err = n.Do(func() error {
		l := net.ListenConfig{Control: BindToDevice(device)}
		open, err = l.ListenPacket(context.Background(), "udp", at.String())
		return err
	})
	if err != nil {
		return nil, cannotListen(at, err)
	}
	return open.(*net.UDPConn), nil
}

// BindToDevice is the control function of sockets whose packets leave by a device; nil of
// "".
func BindToDevice(device string) func(network, address string, c syscall.RawConn) error {
	if device == "" {
		return nil
	}
	return func(_, _ string, c syscall.RawConn) error {
		var failed error
		err := c.Control(func(fd uintptr) { failed = unix.BindToDevice(int(fd), device) })
		if err == nil && failed != nil {
			err = fmt.Errorf("bind to %s: %w", device, failed)
		}
		return err
	}
}

// HTTPClient speaks to servers inside the namespace.
func (n *Namespace) HTTPClient(timeout time.Duration) *http.Client {
	return &http.Client{Timeout: timeout, Transport: &http.Transport{DialContext: n.Dial, DisableKeepAlives: true}}
}

// Dial is net.Dialer.DialContext from inside the namespace. The address is one, not
// a name.
func (n *Namespace) Dial(ctx context.Context, network, addr string) (conn net.Conn, err error) {
	err = n.Do(func() error {
		conn, err = new(net.Dialer).DialContext(ctx, network, addr)
		return err
	})
	return conn, err
}

// ListenTCP opens a TCP listener inside the namespace.
func (n *Namespace) ListenTCP(at netip.AddrPort) (l net.Listener, err error) {
	err = n.Do(func() error {
		l, err = net.Listen("tcp", at.String())
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("listen on TCP %s: %w", at, err)
	}
	return l, nil
}
