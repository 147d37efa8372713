package lab

import (
	"bytes"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/proto/esp"
)

// guards are both ends of a tunnel, and a G-PDU that goes through it.
func guards(t *testing.T) (gnb, upf *guard, gpdu []byte) {
	t.Helper()
	a, b := netip.MustParseAddr("192.168.13.131"), netip.MustParseAddr("192.168.13.151")
	sa := func(spi uint32, from, to netip.Addr) *esp.SA {
		s, err := esp.New(spi, from, to, make([]byte, esp.KeyLen))
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	gpdu = make([]byte, 60)
	copy(gpdu, []byte{0x45, 0, 0, 60, 0, 0, 0, 0, 64, 17, 0, 0, 192, 168, 13, 131, 192, 168, 13, 151, 0x08, 0x68, 0x08, 0x68})
	return &guard{out: sa(1, a, b), in: sa(2, b, a)}, &guard{out: sa(2, b, a), in: sa(1, a, b)}, gpdu
}

// TestGuard: what one end seals the other opens, and GTP-U that comes in clear is counted as that.
func TestGuard(t *testing.T) {
	gnb, upf, gpdu := guards(t)
	list := gnb.seal(gpdu)
	if len(list) != 1 || bytes.Contains(list[0], gpdu[20:]) {
		t.Fatalf("%x", list)
	}
	if got := upf.open(list[0]); !bytes.Equal(got, gpdu) || upf.sealed != 1 || upf.clear != 0 {
		t.Errorf("%x, %d sealed, %d in clear", got, upf.sealed, upf.clear)
	}
	if got := upf.open(gpdu); !bytes.Equal(got, gpdu) || upf.clear != 1 {
		t.Errorf("%x, %d in clear", got, upf.clear)
	}
	gnb.tamper = func(b []byte) [][]byte { return [][]byte{b, b} }
	if n := len(gnb.seal(gpdu)); n != 2 {
		t.Errorf("%d packets, want the two that were made of it", n)
	}
	gnb.bare = true
	if list := gnb.seal(gpdu); len(list) != 1 || !bytes.Equal(list[0], gpdu) {
		t.Errorf("%x, want the packet as it is", list)
	}
}
