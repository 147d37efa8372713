package n3

import (
	"context"
	"net"
	"net/netip"
	"time"
)

// delivered is a message that a datapath received. What is longer is cut: of a G-PDU the
// header is enough.
type delivered struct {
	octets [256]byte
	length int
	from   netip.AddrPort
}

// inboxMax is how many messages wait: more than are answered in a second.
const inboxMax = 256

// Deliver hands a message over that a datapath has received and does not answer itself.
// It does not block and keeps nothing: when too many wait, the message is lost.
func (e *Endpoint) Deliver(message []byte, from netip.AddrPort) {
	d := delivered{from: from}
	d.length = copy(d.octets[:], message)
	select {
	case e.inbox <- d:
	default:
	}
}

// serveInbox answers what was delivered until ctx is done.
func (e *Endpoint) serveInbox(ctx context.Context) {
	out := make([]byte, 0, 64)
	for {
		select {
		case <-ctx.Done():
			return
		case d := <-e.inbox:
			from := net.UDPAddrFromAddrPort(d.from)
			if answer, port := e.receive(out[:0], d.octets[:d.length], d.from.Addr(), time.Now()); len(answer) > 0 {
				e.send(answer, redirect(from, port))
			}
		}
	}
}
