package smf

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// Tap sees what the UPF sends before the client does. The reader of the connection calls
// its functions, which must not block; they keep nothing of ies. Each may be nil.
type Tap struct {
	// Answer is given each response, and when the kernel took it. It returns true for one of
	// its own requests, which the client then does not look at.
	Answer func(h pfcp.Header, ies []byte, at time.Time) bool
	// Request is given each request of the UPF; the client answers it.
	Request func(h pfcp.Header, ies []byte)
}

// SetTap puts a tap in place of the one before; nil: none.
func (c *Client) SetTap(t *Tap) { c.tap.Store(t) }

// Writer writes requests about sessions for a sender of its own, whose answers go to a
// Tap. Several goroutines need one each.
type Writer struct {
	c *Client
	m builder
}

// NewWriter makes one that writes in the client's dialect.
func (c *Client) NewWriter() *Writer { return &Writer{c: c} }

// Request is a message to be sent, as often as need be.
type Request struct {
	Type     pfcp.MessageType
	Sequence uint32
	CPSEID   uint64 // ours, of the session
	Bytes    []byte
}

// Establishment writes a Session Establishment Request with a new CP SEID.
func (w *Writer) Establishment(s *Session) Request {
	return w.copied(w.c.establishmentRequest(&w.m, s, w.c.seid.Add(1)))
}

// Modification writes a Session Modification Request.
func (w *Writer) Modification(e *Established, change Change) Request {
	return w.copied(w.c.modificationRequest(&w.m, e, change))
}

// Deletion writes a Session Deletion Request.
func (w *Writer) Deletion(e *Established) Request {
	return w.copied(w.c.deletionRequest(&w.m, e))
}

func (w *Writer) copied(q request) Request {
	return Request{Type: q.typ, Sequence: q.seq, CPSEID: q.cpSEID, Bytes: append([]byte(nil), q.bytes...)}
}

// Send sends a message to the UPF once. Errors that a later try may not meet count as
// loss.
func (c *Client) Send(b []byte) error { return c.send(b, c.cfg.Peer) }

// Check refuses a session that no UPF could take.
func (c *Client) Check(s *Session) error { return s.check() }

// Hold notes a session that a Writer established, so that reports about it are
// answered; Forget forgets it.
func (c *Client) Hold(e *Established) { c.hold(e) }

// Forget forgets a session that a Writer deleted.
func (c *Client) Forget(cpSEID uint64) { c.sessions.remove(cpSEID) }

// Outcome is what an answer about a session says.
type Outcome struct {
	Cause  pfcp.Cause // 0: absent
	UPSEID uint64     // of an establishment; 0: absent
	TEID   uint32     // that the UPF chose for the uplink PDR; 0: none
	N3     netip.Addr // with it; IPv4
}

// Accepted reports whether the request was.
func (o Outcome) Accepted() bool { return o.Cause == pfcp.Cause(ie.CauseRequestAccepted) }

// ReadOutcome reads an answer's IEs without allocating. What is cut short is absent.
func ReadOutcome(ies []byte) (o Outcome) {
	eachIE(ies, func(typ uint16, v []byte) {
		switch {
		case typ == ie.Cause && len(v) > 0:
			o.Cause = pfcp.Cause(v[0])
		case typ == ie.FSEID && len(v) >= 9:
			o.UPSEID = binary.BigEndian.Uint64(v[1:])
		case typ == ie.CreatedPDR:
			o.readCreated(v)
		}
	})
	return o
}

func (o *Outcome) readCreated(group []byte) {
	uplink := false
	eachIE(group, func(typ uint16, v []byte) {
		const v4 = 0x01
		switch {
		case typ == ie.PDRID && len(v) >= 2:
			uplink = binary.BigEndian.Uint16(v) == pdrUplink
		case typ == ie.FTEID && uplink && len(v) >= 9 && v[0]&v4 != 0:
			o.TEID = binary.BigEndian.Uint32(v[1:])
			o.N3 = netip.AddrFrom4([4]byte(v[5:9]))
		}
	})
}

// eachIE walks IEs until one is cut short.
func eachIE(b []byte, do func(typ uint16, value []byte)) {
	for len(b) >= 4 {
		end := 4 + int(binary.BigEndian.Uint16(b[2:]))
		if end > len(b) {
			return
		}
		do(binary.BigEndian.Uint16(b), b[4:end])
		b = b[end:]
	}
}
