package smf

import (
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/n4socket"
)

// reader reads datagrams, and when the kernel took each.
type reader struct {
	conn    net.PacketConn
	own     *n4socket.Socket // nil: it is no socket with a thread
	stamped *net.UDPConn     // nil: it is no socket of Go's with time stamps
	control [64]byte
}

func newReader(conn net.PacketConn) *reader {
	r := &reader{conn: conn}
	r.own, _ = conn.(*n4socket.Socket)
	if udp, ok := conn.(*net.UDPConn); ok && n4socket.StampConn(udp) == nil {
		r.stamped = udp
	}
	return r
}

// read reads one datagram. Without a time stamp of the kernel's it came now.
func (r *reader) read(b []byte) (n int, from net.Addr, at time.Time, err error) {
	var peer netip.AddrPort
	switch {
	case r.own != nil:
		n, peer, at, err = r.own.Read(b)
	case r.stamped != nil:
		var control int
		n, control, _, peer, err = r.stamped.ReadMsgUDPAddrPort(b, r.control[:])
		at = n4socket.Arrival(r.control[:control], time.Now())
	default:
		n, from, err = r.conn.ReadFrom(b)
		return n, from, time.Now(), err
	}
	if err != nil {
		return 0, nil, time.Time{}, err
	}
	return n, net.UDPAddrFromAddrPort(peer), at, nil
}
