package n3socket

import (
	"net"
	"net/netip"
)

// Signalling is the socket for what is no G-PDU. The kernel may put datagrams together
// there, too; ReadFrom gives each by itself. It is for one reader; anybody may write.
type Signalling struct {
	*net.UDPConn
	memory  []byte
	control [controlBytes]byte
	rest    []byte // of what was put together
	size    int
	from    netip.AddrPort
}

func newSignalling(c *net.UDPConn) *Signalling {
	return &Signalling{UDPConn: c, memory: make([]byte, datagramMax)}
}

// ReadFrom implements net.PacketConn.
func (s *Signalling) ReadFrom(b []byte) (int, net.Addr, error) {
	if len(s.rest) == 0 {
		if err := s.receive(); err != nil {
			return 0, nil, err
		}
	}
	one := s.rest[:min(s.size, len(s.rest))]
	s.rest = s.rest[len(one):]
	return copy(b, one), net.UDPAddrFromAddrPort(s.from), nil
}

func (s *Signalling) receive() error {
	n, control, _, from, err := s.ReadMsgUDPAddrPort(s.memory, s.control[:])
	if err != nil {
		return err
	}
	s.rest, s.from = s.memory[:n], from
	d := Datagram{Data: s.rest}
	d.read(s.control[:control])
	s.size = d.Size
	return nil
}
