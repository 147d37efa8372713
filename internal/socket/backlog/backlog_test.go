package backlog

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// TestGrow: a socket has more room than before.
func TestGrow(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	room := func() (n int) {
		raw, err := conn.SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		if failed := raw.Control(func(fd uintptr) { n, err = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RCVBUF) }); failed != nil || err != nil {
			t.Fatal(failed, err)
		}
		return n
	}
	if err := conn.SetReadBuffer(8192); err != nil {
		t.Fatal(err)
	}
	before := room()
	if Grow(conn, 1<<20); room() <= before {
		t.Errorf("%d octets, before %d", room(), before)
	}
}
