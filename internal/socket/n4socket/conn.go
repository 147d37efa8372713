package n4socket

import (
	"errors"
	"fmt"
	"net"
	"time"
)

var _ net.PacketConn = (*Socket)(nil)

// ReadFrom waits for a datagram, as Read does.
func (s *Socket) ReadFrom(b []byte) (int, net.Addr, error) {
	n, from, _, err := s.Read(b)
	if err != nil {
		return 0, nil, err
	}
	return n, net.UDPAddrFromAddrPort(from), nil
}

// WriteTo is Write to a *net.UDPAddr.
func (s *Socket) WriteTo(b []byte, to net.Addr) (int, error) {
	udp, ok := to.(*net.UDPAddr)
	if !ok {
		return 0, fmt.Errorf("%v is no UDP address", to)
	}
	if err := s.Write(b, udp.AddrPort()); err != nil {
		return 0, err
	}
	return len(b), nil
}

// SetDeadline fails: Stop ends a Wait.
func (s *Socket) SetDeadline(time.Time) error { return errors.ErrUnsupported }

// SetReadDeadline fails, as SetDeadline does.
func (s *Socket) SetReadDeadline(time.Time) error { return errors.ErrUnsupported }

// SetWriteDeadline fails, as SetDeadline does.
func (s *Socket) SetWriteDeadline(time.Time) error { return errors.ErrUnsupported }
