package upf

import (
	"errors"
	"fmt"
	"net"
	"net/netip"

	"golang.org/x/sys/unix"
)

// receiveBuffer holds what arrives while the server is busy with a burst: some
// ten thousand requests.
const receiveBuffer = 8 << 20

// listen opens a UDP socket. What names it in errors.
func listen(what string, address netip.AddrPort) (*net.UDPConn, error) {
	conn, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(address))
	if err != nil {
		return nil, fmt.Errorf("open %s on UDP %v: %w%s", what, address, err, remedy(err, address))
	}
	enlarge(conn)
	return conn, nil
}

func remedy(err error, address netip.AddrPort) string {
	switch {
	case errors.Is(err, unix.EADDRINUSE):
		return fmt.Sprintf(": another program has the port; see `ss -lunp sport = :%d`", address.Port())
	case errors.Is(err, unix.EADDRNOTAVAIL):
		return fmt.Sprintf(": no interface has the address; add it by `ip address add %v/24 dev ...`", address.Addr())
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
