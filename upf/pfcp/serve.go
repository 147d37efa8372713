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

// write sends a datagram.
type write func(b []byte, to netip.AddrPort) error

// Serve answers what arrives on conn until ctx is done, and then returns nil.
// The connection stays open. Serve is called once.
func (s *Server) Serve(ctx context.Context, conn net.PacketConn) error {
	stop := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	to := func(b []byte, to netip.AddrPort) error {
		_, err := conn.WriteTo(b, net.UDPAddrFromAddrPort(to))
		return err
	}
	return s.serve(ctx, to, func(q *queues) error { return s.read(ctx, conn, to, q) })
}

// serve does all that is to be done while read does.
func (s *Server) serve(ctx context.Context, to write, read func(*queues) error) error {
	var parts sync.WaitGroup
	defer s.working.Wait()
	defer parts.Wait()
	beating, cancel := context.WithCancel(ctx)
	defer cancel()
	s.mu.Lock()
	s.transmit = func(b []byte, peer netip.AddrPort) { s.send(to, b, peer) }
	s.mu.Unlock()
	parts.Go(func() { s.beat(beating, to) })
	parts.Go(func() { s.tick(beating, to) })
	q := newQueues(func(d datagram) { s.handle(to, d) })
	defer q.close()
	return read(q)
}

// read answers heartbeats itself, so that they wait for nothing, and queues the
// rest.
func (s *Server) read(ctx context.Context, conn net.PacketConn, to write, q *queues) error {
	buf := make([]byte, 65536)
	for {
		n, from, err := conn.ReadFrom(buf)
		if ctx.Err() != nil {
			return nil
		}
		if err != nil {
			return fmt.Errorf("read PFCP on %v: %w", conn.LocalAddr(), err)
		}
		d := datagram{buf[:n], addrPort(from)}
		h, _, _, err := pfcp.Parse(d.octets)
		if err != nil || !isQueued(h.Type) {
			s.handle(to, d)
			continue
		}
		s.queue(q, h, d)
	}
}

func (s *Server) queue(q *queues, h pfcp.Header, d datagram) {
	if !q.put(h, d) {
		s.count(func(c *Counters) { c.Overrun++ })
	}
}

// isQueued is true of requests that change something.
func isQueued(t pfcp.MessageType) bool { return t.IsRequest() && t != pfcp.HeartbeatRequest }

func (s *Server) handle(to write, d datagram) {
	if answer := s.receive(d.octets, d.from, time.Now()); answer != nil {
		s.send(to, answer, d.from)
	}
}

func (s *Server) send(to write, b []byte, peer netip.AddrPort) {
	err := to(b, peer)
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
