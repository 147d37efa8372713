package pfcp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"
)

// Serve answers what arrives on conn until ctx is done, and then returns nil.
// The connection stays open. Serve is called once.
func (s *Server) Serve(ctx context.Context, conn net.PacketConn) error {
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var beats sync.WaitGroup
	defer beats.Wait()
	beating, cancel := context.WithCancel(ctx)
	defer cancel()
	beats.Go(func() { s.beat(beating, conn) })

	buf := make([]byte, 65536)
	for {
		n, from, err := conn.ReadFrom(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read PFCP on %v: %w", conn.LocalAddr(), err)
		}
		if answer := s.receive(buf[:n], addrPort(from), time.Now()); answer != nil {
			s.send(conn, answer, from)
		}
	}
}

func (s *Server) send(conn net.PacketConn, b []byte, to net.Addr) {
	_, err := conn.WriteTo(b, to)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.counters.SendErrors++
		return
	}
	s.counters.Sent++
}

// addrPort gives a peer's address; invalid when it is not an IP one, which then
// is just one more peer.
func addrPort(a net.Addr) netip.AddrPort {
	if u, ok := a.(*net.UDPAddr); ok {
		p := u.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	}
	p, _ := netip.ParseAddrPort(a.String())
	return p
}
