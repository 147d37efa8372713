package slowpath

import (
	"errors"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/upf/datapath"
)

// TestOpenWithoutIPv6: IPv4 is sent although the socket for IPv6 cannot be opened.
func TestOpenWithoutIPv6(t *testing.T) {
	for _, c := range []struct {
		four, six error
		opened    bool
		refused   error
	}{
		{six: unix.EPERM, opened: true, refused: unix.EPERM},
		{six: unix.EAFNOSUPPORT, opened: true},
		{four: unix.EPERM, refused: unix.EPERM},
	} {
		s, err := openBy(func(family int) (int, error) {
			refused := c.four
			if family == unix.AF_INET6 {
				refused = c.six
			}
			if refused != nil {
				return -1, refused
			}
			return unix.Dup(0)
		})
		if (s != nil) != c.opened || !errors.Is(err, c.refused) {
			t.Errorf("IPv4: %v, IPv6: %v: opened %v, %v, want %v, %v", c.four, c.six, s != nil, err, c.opened, c.refused)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestNoRoom: a packet that finds no room is lost, and is not copied before.
func TestNoRoom(t *testing.T) {
	s := &Sender{waiting: make(chan datapath.Slow, 1)}
	p := datapath.Slow{Packet: make([]byte, 1500)}
	s.Take(p)
	const more = 100
	if n := testing.AllocsPerRun(more, func() { s.Take(p) }); n != 0 {
		t.Errorf("%v allocations a packet, want none", n)
	}
	if c := s.Counters(); c.Lost != more+1 || c.Packets != more+2 { // AllocsPerRun runs once before
		t.Errorf("%+v, want %d lost of %d", c, more+1, more+2)
	}
}
