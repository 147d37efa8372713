package upf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"syscall"

	"golang.org/x/sys/unix"
)

// receiveBuffer holds what arrives while the server is busy with a burst: some
// ten thousand requests.
const receiveBuffer = 8 << 20

// listen opens a UDP socket that takes what comes in by the device, or by any
// when that is empty. What names the socket in errors.
func listen(what string, address netip.AddrPort, device string) (*net.UDPConn, error) {
	config := net.ListenConfig{Control: func(_, _ string, raw syscall.RawConn) error { return bindToDevice(raw, device) }}
	network := "udp4"
	if address.Addr().Is6() {
		network = "udp6"
	}
	conn, err := config.ListenPacket(context.Background(), network, address.String())
	if err != nil {
		return nil, fmt.Errorf("open %s on UDP %v: %w%s", what, address, err, remedy(err, address, device))
	}
	udp := conn.(*net.UDPConn)
	enlarge(udp)
	return udp, nil
}

func bindToDevice(raw syscall.RawConn, device string) error {
	if device == "" {
		return nil
	}
	var failed error
	err := raw.Control(func(fd uintptr) {
		failed = unix.SetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE, device)
	})
	return errors.Join(err, failed)
}

func remedy(err error, address netip.AddrPort, device string) string {
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return fmt.Sprintf(": another program has the port; see `ss -lunp sport = :%d`", address.Port())
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return fmt.Sprintf(": no interface has the address; add it by `ip address add %v/24 dev ...`", address.Addr())
	case errors.Is(err, unix.ENODEV):
		return fmt.Sprintf(": there is no interface %q; see `ip link`", device)
	}
	return ""
}

// enlarge sets the receive buffer, beyond the system's limit where that is
// allowed. A smaller buffer loses requests under load, which are repeated; so
// a failure is no error.
func enlarge(conn *net.UDPConn) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return
	}
	forced := false
	raw.Control(func(fd uintptr) {
		forced = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, receiveBuffer) == nil
	})
	if !forced {
		conn.SetReadBuffer(receiveBuffer)
	}
}
