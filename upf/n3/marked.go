package n3

import (
	"encoding/binary"
	"net/netip"

	"golang.org/x/sys/unix"
)

// sendMarked sends with a type of service, or traffic class; false where the socket cannot.
func (e *Endpoint) sendMarked(b []byte, to netip.AddrPort, marking uint8) bool {
	conn, level, typ := e.conn, unix.SOL_IP, unix.IP_TOS
	if to.Addr().Is6() {
		conn, level, typ = e.cfg.Conn6, unix.SOL_IPV6, unix.IPV6_TCLASS
	}
	socket, ok := conn.(interface {
		WriteMsgUDPAddrPort(b, control []byte, to netip.AddrPort) (n, controls int, err error)
	})
	if !ok {
		return false
	}
	_, _, err := socket.WriteMsgUDPAddrPort(b, control(level, typ, marking), to)
	return err == nil
}

// control is a control message with a number.
func control(level, typ int, value uint8) []byte {
	b := make([]byte, unix.CmsgSpace(4))
	binary.NativeEndian.PutUint64(b, uint64(unix.CmsgLen(4)))
	binary.NativeEndian.PutUint32(b[8:], uint32(level))
	binary.NativeEndian.PutUint32(b[12:], uint32(typ))
	binary.NativeEndian.PutUint32(b[unix.CmsgLen(0):], uint32(value))
	return b
}
