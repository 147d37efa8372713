package n3

import (
	"net/netip"

	"github.com/upflab/upflab/upf/datapath/n3socket"
)

// sendMarked sends with a type of service, or traffic class; false where the socket cannot.
func (e *Endpoint) sendMarked(b []byte, to netip.AddrPort, marking uint8) bool {
	conn, six := e.conn, to.Addr().Is6()
	if six {
		conn = e.cfg.Conn6
	}
	socket, ok := conn.(interface {
		WriteMsgUDPAddrPort(b, control []byte, to netip.AddrPort) (n, controls int, err error)
	})
	if !ok {
		return false
	}
	var control n3socket.Marking
	_, _, err := socket.WriteMsgUDPAddrPort(b, control.Of(six, marking), to)
	return err == nil
}
