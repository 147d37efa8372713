package smf

import (
	"net"
	"time"

	"github.com/upflab/upflab/n4socket"
)

// reader reads datagrams of a socket of Go's, and when the kernel took each.
type reader struct {
	conn    net.PacketConn
	stamped *net.UDPConn // nil: the connection has no time stamps
	control [64]byte
}

func newReader(conn net.PacketConn) *reader {
	r := &reader{conn: conn}
	if udp, ok := conn.(*net.UDPConn); ok && n4socket.StampConn(udp) == nil {
		r.stamped = udp
	}
	return r
}

// read reads one datagram. Without a time stamp of the kernel's it came now.
func (r *reader) read(b []byte) (n int, from net.Addr, at time.Time, err error) {
	if r.stamped == nil {
		n, from, err = r.conn.ReadFrom(b)
		return n, from, time.Now(), err
	}
	n, control, _, peer, err := r.stamped.ReadMsgUDPAddrPort(b, r.control[:])
	if err != nil {
		return 0, nil, time.Time{}, err
	}
	return n, net.UDPAddrFromAddrPort(peer), n4socket.Arrival(r.control[:control], time.Now()), nil
}
