package resilience

import (
	"net"
	"sync/atomic"
)

// cut is a connection that can be cut: nothing passes in either direction, as on a link
// that loses everything.
type cut struct {
	net.PacketConn
	off atomic.Bool
}

// ReadFrom drops what arrives meanwhile.
func (c *cut) ReadFrom(b []byte) (int, net.Addr, error) {
	for {
		n, from, err := c.PacketConn.ReadFrom(b)
		if err != nil || !c.off.Load() {
			return n, from, err
		}
	}
}

// WriteTo drops what is sent meanwhile.
func (c *cut) WriteTo(b []byte, to net.Addr) (int, error) {
	if c.off.Load() {
		return len(b), nil
	}
	return c.PacketConn.WriteTo(b, to)
}
