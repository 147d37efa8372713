package upf

import (
	"errors"
	"net/netip"
	"testing"

	"golang.org/x/sys/unix"
)

// TestICMPToBroadcast: a forged source has no ICMP error sent to all hosts of a link.
func TestICMPToBroadcast(t *testing.T) {
	s, err := openICMP()
	if errors.Is(err, unix.EPERM) {
		t.Skip("needs CAP_NET_RAW")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	for _, to := range []string{"127.255.255.255", "255.255.255.255"} {
		at := &unix.SockaddrInet4{Addr: netip.MustParseAddr(to).As4()}
		if err := unix.Sendto(s.fd, make([]byte, 8), unix.MSG_DONTWAIT, at); !errors.Is(err, unix.EACCES) {
			t.Errorf("to %s: %v", to, err)
		}
	}
}
