package upf

import (
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// TestSocketIsBound: a socket of an interface takes nothing that comes in by another one.
func TestSocketIsBound(t *testing.T) {
	conn, err := listen("N4 (PFCP)", netip.MustParseAddrPort("127.83.7.11:0"), "lo")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	raw, err := conn.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	var device string
	if err := raw.Control(func(fd uintptr) {
		device, err = unix.GetsockoptString(int(fd), unix.SOL_SOCKET, unix.SO_BINDTODEVICE)
	}); err != nil {
		t.Fatal(err)
	}
	if err != nil || device != "lo" {
		t.Errorf("the socket takes what comes in by %q, %v, want lo", device, err)
	}
}
