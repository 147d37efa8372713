// Package backlog gives sockets room for what arrives while nobody reads.
package backlog

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// Grow asks for so many octets in a socket, beyond what the machine's settings allow where that is permitted. Where it is
// not, the socket has what they allow.
func Grow(conn syscall.Conn, octets int) {
	raw, err := conn.SyscallConn()
	if err != nil {
		return // it is closed, which its user will see
	}
	_ = raw.Control(func(fd uintptr) { GrowFD(int(fd), octets) })
}

// GrowFD is Grow of a file descriptor.
func GrowFD(fd, octets int) {
	if unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUFFORCE, octets) != nil {
		_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_RCVBUF, octets)
	}
}
