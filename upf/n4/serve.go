package n4

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/tally"
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
	s.requests.Begin(func(b []byte, peer netip.AddrPort) { s.send(to, b, peer) })
	parts.Go(func() { s.beat(beating, to) })
	parts.Go(func() { s.tick(beating, to) })
	q := newQueues(func(d datagram) { s.handle(to, d) })
	defer q.close()
	return read(q)
}

// tickEvery is how exact times are.
const tickEvery = 50 * time.Millisecond

// tick reports usage until ctx is done: by time, and where the datapath raises an
// alarm.
func (s *Server) tick(ctx context.Context, to write) {
	t := time.NewTicker(tickEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case seid := <-s.reports.Alarms:
			s.reports.Run(seid, time.Now())
		case p := <-s.held.Duplicates:
			s.handed.Copy(p)
		case p := <-s.held.Arrivals:
			s.handed.Hold(p, time.Now())
		case n := <-s.handed.Notices:
			s.handed.Answer(n, time.Now())
		case now := <-t.C:
			s.reports.RunTimers(now)
			s.nodes.Connect(now)
			for _, one := range s.requests.Due(s.associations.Tunables().Heartbeat, now) {
				s.send(to, one.Message, one.To)
			}
		}
	}
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
		s.tally.Count(func(c *tally.Counters) { c.Overrun++ })
	}
}

// isQueued is true of requests that change something.
func isQueued(t pfcp.MessageType) bool { return t.IsRequest() && t != pfcp.HeartbeatRequest }

func (s *Server) handle(to write, d datagram) {
	if answer := s.receiver.receive(d.octets, d.from, time.Now()); answer != nil {
		s.send(to, answer, d.from)
	}
}

func (s *Server) send(to write, b []byte, peer netip.AddrPort) {
	err := to(b, peer)
	s.tally.Count(func(c *tally.Counters) {
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

// datagram is one that was received.
type datagram struct {
	octets []byte
	from   netip.AddrPort
}

// Bounds of what waits, and how many requests are worked on at once.
const (
	queueCount  = 4
	queueLength = 8192
	queueOctets = 16 << 20 // of all queues
)

// queues hand requests to goroutines. Those about one session, and copies of one
// request, stay in order: they share a queue.
type queues struct {
	each    [queueCount]chan datagram
	octets  atomic.Int64
	working sync.WaitGroup
}

func newQueues(handle func(datagram)) *queues {
	q := &queues{}
	for i := range q.each {
		q.each[i] = make(chan datagram, queueLength)
		q.working.Go(func() {
			for d := range q.each[i] {
				handle(d)
				q.octets.Add(-int64(len(d.octets)))
			}
		})
	}
	return q
}

// put queues a copy of the datagram; false when too much waits.
func (q *queues) put(h pfcp.Header, d datagram) bool {
	size := int64(len(d.octets))
	if q.octets.Add(size) > queueOctets {
		q.octets.Add(-size)
		return false
	}
	d.octets = slices.Clone(d.octets)
	select {
	case q.each[queueOf(h)] <- d:
		return true
	default:
		q.octets.Add(-size)
		return false
	}
}

// queueOf spreads requests by session, and those without one by number.
func queueOf(h pfcp.Header) int {
	key := h.SEID
	if key == 0 {
		key = uint64(h.Sequence)
	}
	return int(key % queueCount)
}

// close ends the goroutines when they have handled what waits.
func (q *queues) close() {
	for _, c := range q.each {
		close(c)
	}
	q.working.Wait()
}
