package smf

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// receive reads datagrams until the connection is closed, or its thread stopped.
func (c *Client) receive() {
	buf, r := make([]byte, 1<<16), newReader(c.cfg.Conn)
	for {
		n, from, at, err := r.read(buf)
		switch {
		case errors.Is(err, net.ErrClosed), errors.Is(err, os.ErrDeadlineExceeded):
			return
		case err != nil:
			c.cfg.Log.Warn("cannot read from N4", "error", err)
			time.Sleep(10 * time.Millisecond) // not to spin on an error that stays
			continue
		}
		c.handle(buf[:n], from, at)
	}
}

// handle takes one datagram, which came at a time: answers go to whoever waits for them,
// requests are answered. It keeps nothing of b.
func (c *Client) handle(b []byte, from net.Addr, at time.Time) {
	c.stats.received.Add(1)
	h, ies, _, err := pfcp.Parse(b)
	switch {
	case !c.fromPeer(from):
		c.refuseForeign(h, err, from)
	case err == pfcp.ErrVersion && h.Type != pfcp.VersionNotSupported:
		c.refuseVersion(h, from)
	case err != nil && err != pfcp.ErrVersion:
		c.stats.malformed.Add(1)
		c.findings.add(FindingMalformed, "%d octets: %v", len(b), err)
	case h.Type.IsResponse():
		if t := c.tap.Load(); t == nil || t.Answer == nil || !t.Answer(h, ies, at) {
			c.match(h, b, from)
		}
	default:
		if t := c.tap.Load(); t != nil && t.Request != nil {
			t.Request(h, ies)
		}
		c.answerOnce(h, ies, b, from)
	}
}

// refuseForeign drops a datagram that is not from the UPF's address, but notes
// when it is the answer to a request that waits.
func (c *Client) refuseForeign(h pfcp.Header, err error, from net.Addr) {
	c.stats.foreign.Add(1)
	if err == nil && c.asked.waiting(h) {
		c.findings.add(FindingAddress, "a %s from %s instead of %s", h.Type, from, c.cfg.Peer)
	}
}

// fromPeer compares addresses only: a UPF may send requests from any port.
func (c *Client) fromPeer(from net.Addr) bool {
	if u, ok := from.(*net.UDPAddr); ok {
		return u.AddrPort().Addr().Unmap().WithZone("") == c.peer.WithZone("")
	}
	a, err := netip.ParseAddrPort(from.String())
	return err == nil && a.Addr().Unmap() == c.peer
}

// refuseVersion answers a message of another version (clause 7.2.3).
func (c *Client) refuseVersion(h pfcp.Header, to net.Addr) {
	c.stats.otherVersion.Add(1)
	var m builder
	m.Begin(pfcp.Header{Type: pfcp.VersionNotSupported, Sequence: h.Sequence})
	c.respond(m.Bytes(), to)
}

// respond sends an answer and returns it. When that fails the peer will ask
// again.
func (c *Client) respond(b []byte, to net.Addr) []byte {
	if err := c.send(b, to); err != nil && !errors.Is(err, net.ErrClosed) {
		c.cfg.Log.Warn("cannot answer on N4", "message", pfcp.MessageType(b[1]), "to", to, "error", err)
	}
	return b
}
