// Package n4 is the SMF of behaviour cases: a client of package smf that observes. It sends whatever requests it is
// given, accepts everything that the UPF asks, and keeps the UPF's reports, so that cases judge them.
package n4

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/internal/lab/smf"
	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Answer is the UPF's answer to a case's request.
type Answer = smf.Message

// Usage is a usage report.
type Usage = smf.Usage

// Patience is how requests are repeated (TS 29.244 clause 6.4).
type Patience = pfcp.Retransmission

// Peer is the SMF's end of N4. Its methods may be called from several goroutines.
type Peer struct {
	client *smf.Client
	upf    net.Addr
	// Node is the address in Node ID and F-SEIDs.
	Node netip.Addr

	mu      sync.Mutex
	reports []Report
	seen    map[uint32]last                 // by the sequence numbers of reports so far, forgotten ones included
	held    map[uint64]bool                 // our SEIDs of the sessions since Forget
	given   [2]uint64                       // the first and the last of our SEIDs before that
	strays  []pfcp.Header                   // of the last answers for which nobody waited
	arrived chan struct{}                   // closed and replaced with each report
	watch   func(h pfcp.Header, ies []byte) // of answers for which nobody waits; nil: none
}

// ErrUnanswered is the error of a request to which no answer came.
var ErrUnanswered = errors.New("no answer")

// SequenceError is the error of a request to which answers came that have another sequence number than its own (TS 29.244
// clause 7.2.2.4.2).
type SequenceError struct {
	Answer    pfcp.MessageType
	Want, Got uint32
	Count     int // how many answers
}

// Error implements error: it says what came.
func (e *SequenceError) Error() string {
	return fmt.Sprintf("%d of %s came with other sequence numbers, the last with %d in place of %d", e.Count, e.Answer, e.Got, e.Want)
}

// New makes a peer on a socket, which it owns from then on, that speaks a dialect.
func New(conn net.PacketConn, upf net.Addr, node netip.Addr, dialect smf.Dialect) (*Peer, error) {
	dialect.HeartbeatEvery = 0 // cases send the heartbeats that they want
	client, err := smf.Dial(smf.Config{Conn: conn, Peer: upf, NodeID: node, Dialect: dialect, Observe: true})
	if err != nil {
		return nil, err
	}
	p := &Peer{client: client, upf: upf, Node: node, seen: map[uint32]last{}, held: map[uint64]bool{},
		arrived: make(chan struct{})}
	p.given[0] = client.NextSEID()
	p.given[1] = p.given[0]
	client.SetTap(&smf.Tap{Request: p.request, Unasked: p.unasked})
	return p, nil
}

// UPF is where requests go.
func (p *Peer) UPF() net.Addr { return p.upf }

// Close ends the peer.
func (p *Peer) Close() error { return p.client.Close() }

// NextSEID gives a SEID of ours that no other session has.
func (p *Peer) NextSEID() uint64 { return p.client.NextSEID() }

// NextSequence gives a sequence number that no other request has.
func (p *Peer) NextSequence() uint32 { return p.client.NextSequence() }

// Restart gives us a Recovery Time Stamp that is later by a second at least.
func (p *Peer) Restart() { p.client.Restart() }

// Belongs notes which SEID of the UPF a session of ours has, for answers to its reports.
func (p *Peer) Belongs(ours, theirs uint64) {
	p.mu.Lock()
	p.held[ours] = true
	p.mu.Unlock()
	p.client.Hold(&smf.Established{CPSEID: ours, UPSEID: theirs})
}

// Ask sends a request until it is answered; ErrUnanswered when it is not, and *SequenceError when what came answers none of
// our requests. An answer that cannot be read, or that is of another type than the request's, is an error, too.
func (p *Peer) Ask(ctx context.Context, request []byte, by Patience) (Answer, error) {
	h, _, _, _ := pfcp.Parse(request)
	p.forgetStrays()
	a, err := p.client.Exchange(ctx, smf.Request{Type: h.Type, Sequence: h.Sequence, Bytes: request}, by)
	var malformed *smf.MalformedError
	var timeout *smf.TimeoutError
	switch {
	case err != nil && ctx.Err() != nil: // the case has no more time: the UPF had less than its patience
		return a, fmt.Errorf("%s: %w", h.Type, ctx.Err())
	case errors.As(err, &timeout):
		if wrong := p.stray(h); wrong != nil {
			return a, wrong
		}
		return a, fmt.Errorf("%w to %s, sent %d times in %v", ErrUnanswered, h.Type, by.Tries, by.T1*time.Duration(by.Tries))
	case errors.As(err, &malformed):
		return a, fmt.Errorf("the %s is malformed: %w", malformed.Message, malformed.Reason)
	}
	return a, err
}

// Send sends a datagram.
func (p *Peer) Send(b []byte) error {
	if err := p.client.Send(b); err != nil {
		return fmt.Errorf("send to the UPF on N4: %w", err)
	}
	return nil
}

// Watch has f called with each answer for which nobody waits. f must not block, and keeps nothing of ies.
func (p *Peer) Watch(f func(h pfcp.Header, ies []byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch = f
}

// mostStrays bounds what is kept of answers for which nobody waits.
const mostStrays = 100

// forgetStrays forgets answers that came before a request.
func (p *Peer) forgetStrays() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.strays = nil
}

// stray is the error of answers that came to a request, with other sequence numbers; nil: none did.
func (p *Peer) stray(request pfcp.Header) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	e := &SequenceError{Answer: request.Type + 1, Want: request.Sequence}
	for _, h := range p.strays {
		if h.Type == e.Answer && h.Sequence != e.Want {
			e.Got = h.Sequence
			e.Count++
		}
	}
	if e.Count == 0 {
		return nil
	}
	return e
}

func (p *Peer) unasked(h pfcp.Header, ies []byte) {
	p.mu.Lock()
	if len(p.strays) < mostStrays {
		p.strays = append(p.strays, h)
	}
	f := p.watch
	p.mu.Unlock()
	if f != nil {
		f(h, ies)
	}
}

// Begin starts a message with the next sequence number. The SEID is written in those of a session only.
func (p *Peer) Begin(w *pfcp.Builder, typ pfcp.MessageType, seid uint64) {
	w.Begin(pfcp.Header{Type: typ, SEID: seid, Sequence: p.NextSequence()})
}

// Heartbeat writes a Heartbeat Request.
func (p *Peer) Heartbeat() []byte { return p.client.HeartbeatRequest().Bytes }

// Setup writes an Association Setup Request.
func (p *Peer) Setup() []byte { return p.client.SetupRequest().Bytes }

// Release writes an Association Release Request.
func (p *Peer) Release() []byte { return p.client.ReleaseRequest().Bytes }

// Establish writes a Session Establishment Request from a node, ourselves as a rule.
func (p *Peer) Establish(w *smf.Writer, node netip.Addr, seid uint64, s *rules.Session) []byte {
	return append([]byte(nil), w.Establishment(p.NextSequence(), node, seid, p.Node, s)...)
}

// Modify writes a Session Modification Request to the UPF's SEID.
func (p *Peer) Modify(w *smf.Writer, seid uint64, c *rules.Change) []byte {
	return append([]byte(nil), w.Modification(p.NextSequence(), seid, c)...)
}

// Delete writes a Session Deletion Request to the UPF's SEID.
func (p *Peer) Delete(seid uint64) []byte { return new(smf.Writer).Deletion(p.NextSequence(), seid) }
