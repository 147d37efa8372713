package capture

import (
	"net"
	"net/netip"
	"testing"

	"github.com/upflab/upflab/internal/lab/site/sitetest"
)

// TestTapOfOnePort: on a link that leads to an address, the datagrams of one UDP port alone are copied.
func TestTapOfOnePort(t *testing.T) {
	links := sitetest.Build(t).Links()
	port, err := links.SMFN4.NS.PortToward(links.UPFN4.Addr)
	if err != nil || port.Index != links.SMFN4.Index || port.Name != links.SMFN4.Name {
		t.Fatalf("to %s leads %+v, %v, want %s", links.UPFN4.Addr, port, err, links.SMFN4.Name)
	}
	c := New(10)
	if err := c.Tap(Hop{Name: "N4", Port: port, Peer: -1, UDP: 8805}); err != nil {
		t.Fatal(err)
	}
	conn, err := links.SMFN4.NS.ListenUDP(netip.AddrPortFrom(links.SMFN4.Addr, 0))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, to := range []uint16{9999, 8805, 9999, 8805} {
		if _, err := conn.WriteTo([]byte("x"), net.UDPAddrFromAddrPort(netip.AddrPortFrom(links.UPFN4.Addr, to))); err != nil {
			t.Fatal(err)
		}
	}
	seen := func() int {
		c.mu.Lock()
		defer c.mu.Unlock()
		return len(c.frames)
	}
	within(t, "both datagrams are copied", func() bool { return seen() >= 2 })
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	for _, f := range c.frames {
		if !ofPort(f.bytes, 8805) {
			t.Errorf("copied: %x", f.bytes)
		}
	}
	if len(c.frames) != 2 {
		t.Errorf("%d frames are copied", len(c.frames))
	}
}
