package pfcp

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// Serve answers what arrives on conn until ctx is done, and then returns nil.
// The connection stays open. Serve is called once.
func (s *Server) Serve(ctx context.Context, conn net.PacketConn) error {
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	var parts sync.WaitGroup
	defer s.working.Wait()
	defer parts.Wait()
	beating, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.transmit = func(b []byte, to netip.AddrPort) { s.send(conn, b, net.UDPAddrFromAddrPort(to)) }
	s.mu.Unlock()
	parts.Go(func() { s.beat(beating, conn) })
	parts.Go(func() { s.tick(beating, conn) })
	q := newQueues(func(d datagram) { s.handle(conn, d) })
	defer q.close()
	return s.read(ctx, conn, q)
}

// read answers heartbeats itself, so that they wait for nothing, and queues the
// rest.
func (s *Server) read(ctx context.Context, conn net.PacketConn, q *queues) error {
	buf := make([]byte, 65536)
	for {
		n, from, err := conn.ReadFrom(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read PFCP on %v: %w", conn.LocalAddr(), err)
		}
		d := datagram{buf[:n], from}
		h, _, _, err := pfcp.Parse(d.octets)
		if err != nil || !isQueued(h.Type) {
			s.handle(conn, d)
			continue
		}
		if !q.put(h, d) {
			s.count(func(c *Counters) { c.Overrun++ })
		}
	}
}

// isQueued is true of requests that change something.
func isQueued(t pfcp.MessageType) bool { return t.IsRequest() && t != pfcp.HeartbeatRequest }

func (s *Server) handle(conn net.PacketConn, d datagram) {
	if answer := s.receive(d.octets, addrPort(d.from), time.Now()); answer != nil {
		s.send(conn, answer, d.from)
	}
}

func (s *Server) send(conn net.PacketConn, b []byte, to net.Addr) {
	_, err := conn.WriteTo(b, to)
	s.count(func(c *Counters) {
		if err != nil {
			c.SendErrors++
			return
		}
		c.Sent++
	})
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
