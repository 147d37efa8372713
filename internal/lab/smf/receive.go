package smf

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/socket/n4socket"
	"github.com/upflab/upflab/internal/socket/threads"
)

// reader reads datagrams, and when the kernel took each.
type reader struct {
	conn    net.PacketConn
	own     *n4socket.Socket // nil: it is no socket with its own thread
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

// read reads one datagram. Where the kernel gives no time stamp, it came now.
func (r *reader) read(b []byte) (n int, from netip.AddrPort, at time.Time, err error) {
	switch {
	case r.own != nil:
		n, from, at, err = r.own.Read(b)
	case r.stamped != nil:
		var control int
		n, control, _, from, err = r.stamped.ReadMsgUDPAddrPort(b, r.control[:])
		at = n4socket.Arrival(r.control[:control], time.Now())
	default:
		var peer net.Addr
		n, peer, err = r.conn.ReadFrom(b)
		at = time.Now()
		if udp, ok := peer.(*net.UDPAddr); ok {
			from = udp.AddrPort()
		} else if err == nil {
			from, err = netip.ParseAddrPort(peer.String())
		}
	}
	return n, from, at, err
}

// unmapped is an address without its zone, and as IPv4 where it is IPv4 in IPv6, so that addresses compare.
func unmapped(a netip.AddrPort) netip.AddrPort {
	return netip.AddrPortFrom(a.Addr().Unmap().WithZone(""), a.Port())
}

// ownThread takes a socket over, for a thread that reads it.
func ownThread(conn *net.UDPConn) (*n4socket.Socket, error) {
	s, err := n4socket.Take(conn)
	if err != nil {
		return nil, err
	}
	_ = s.Stamp() // without time stamps, datagrams come when they are read
	return s, nil
}

// startReceiving reads until the client is closed, on the CPUs of Config where those are given.
func (c *responder) startReceiving() {
	if _, ok := c.cfg.Conn.(*n4socket.Socket); !ok {
		c.running.Go(c.receive)
		return
	}
	ended := make(chan struct{})
	c.running.Go(func() { <-ended })
	threads.Once(func() {
		defer close(ended)
		threads.GoFirst(c.cfg.CPUs...)
		c.receive()
	})
}

// receive reads datagrams until the connection is closed, or its thread stopped.
func (c *responder) receive() {
	buf, r := make([]byte, 1<<16), newReader(c.cfg.Conn)
	for {
		n, from, at, err := r.read(buf)
		switch {
		case errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
			return
		case err != nil:
			c.cfg.Log.Warn("cannot read from N4", "error", err)
			time.Sleep(10 * time.Millisecond) // an error that persists must not take the CPU
			continue
		}
		c.handle(buf[:n], from, at)
	}
}

// handle takes one datagram, which came at a time: answers go to whoever waits for them, requests are answered.
// It keeps nothing of b.
func (c *responder) handle(b []byte, from netip.AddrPort, at time.Time) {
	c.stats.received.Add(1)
	h, ies, _, err := pfcp.Parse(b)
	switch {
	case !c.cfg.Observe && unmapped(from).Addr() != c.peer.Addr(): // any port may send requests
		c.refuseForeign(h, err, from)
	case err == pfcp.ErrVersion && h.Type != pfcp.VersionNotSupported:
		c.refuseVersion(h, from)
	case err != nil && err != pfcp.ErrVersion:
		c.stats.malformed.Add(1)
		c.findings.add(FindingMalformed, "%d octets: %v", len(b), err)
	case h.Type.IsResponse():
		c.match(h, ies, from, at)
	default:
		if t := c.tap.Load(); t != nil && t.Request != nil {
			t.Request(h, ies)
		}
		c.answerOnce(h, ies, b, from)
	}
}

// refuseForeign drops a datagram that is not from the UPF's address, but notes when it is the answer to a request
// that waits.
func (c *responder) refuseForeign(h pfcp.Header, err error, from netip.AddrPort) {
	c.stats.foreign.Add(1)
	if err == nil && c.transactions.waits(h) {
		c.findings.add(FindingAddress, "a %s from %s instead of %s", h.Type, from, c.cfg.Peer)
	}
}

// refuseVersion answers a message of another version (clause 7.2.3).
func (c *responder) refuseVersion(h pfcp.Header, to netip.AddrPort) {
	c.stats.otherVersion.Add(1)
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: pfcp.VersionNotSupported, Sequence: h.Sequence})
	c.respond(m.Bytes(), to)
}

// respond sends an answer and returns it. When that fails the peer will ask again.
func (c *responder) respond(b []byte, to netip.AddrPort) []byte {
	if err := c.sendTo(b, net.UDPAddrFromAddrPort(to)); err != nil && !errors.Is(err, net.ErrClosed) {
		c.cfg.Log.Warn("cannot answer on N4", "message", pfcp.MessageType(b[1]), "to", to, "error", err)
	}
	return b
}
