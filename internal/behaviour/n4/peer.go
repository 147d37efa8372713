// Package n4 is an SMF for behaviour cases: it sends whatever requests it is given, keeps
// what a UPF reports, and answers it. Unlike package smf it holds nobody to anything.
package n4

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// Peer is the SMF's end of N4. Its methods may be called from several goroutines.
type Peer struct {
	conn net.PacketConn
	upf  net.Addr
	// Node is the address in Node ID and F-SEIDs.
	Node netip.Addr
	seq  pfcp.Sequence

	mu       sync.Mutex
	started  time.Time // Recovery Time Stamp
	seid     uint64
	waiting  map[uint32]chan []byte
	reports  []Report
	arrived  chan struct{} // closed and replaced with each report
	seen     map[uint32]bool
	requests []pfcp.MessageType // other than heartbeats and reports
	done     chan struct{}
	theirs   map[uint64]uint64 // SEIDs of the UPF, by ours
	watch    func([]byte)      // of answers that nobody waits for; nil: none
}

// ErrUnanswered is the error of a request that no answer came to.
var ErrUnanswered = errors.New("no answer")

// New makes a peer on a socket, which it owns from then on.
func New(conn net.PacketConn, upf net.Addr, node netip.Addr) *Peer {
	var b [12]byte
	rand.Read(b[:]) // never fails
	p := &Peer{conn: conn, upf: upf, Node: node, started: time.Now(), waiting: map[uint32]chan []byte{},
		arrived: make(chan struct{}), seen: map[uint32]bool{}, theirs: map[uint64]uint64{}, done: make(chan struct{})}
	p.seq.Start(binary.BigEndian.Uint32(b[:]))
	p.seid = uint64(binary.BigEndian.Uint32(b[4:])|1) << 32
	go p.receive()
	return p
}

// UPF is where requests go.
func (p *Peer) UPF() net.Addr { return p.upf }

// Close ends the peer.
func (p *Peer) Close() error {
	err := p.conn.Close()
	<-p.done
	return err
}

// NextSEID is a SEID of ours that no other session has.
func (p *Peer) NextSEID() uint64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.seid++
	return p.seid
}

// NextSequence is a sequence number that no other request has.
func (p *Peer) NextSequence() uint32 { return p.seq.Next() }

// Started is our Recovery Time Stamp.
func (p *Peer) Started() time.Time {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.started
}

// Restart gives us a Recovery Time Stamp that is later by a second at least.
func (p *Peer) Restart() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started = p.started.Add(time.Second)
	if now := time.Now(); now.After(p.started) {
		p.started = now
	}
}

// Patience is how requests are repeated (TS 29.244 clause 6.4).
type Patience struct {
	T1    time.Duration
	Tries int
}

// Ask sends a request until it is answered; ErrUnanswered when it is not.
func (p *Peer) Ask(ctx context.Context, request []byte, by Patience) (Answer, error) {
	h, _, _, _ := pfcp.Parse(request)
	answer := make(chan []byte, 1)
	p.mu.Lock()
	p.waiting[h.Sequence] = answer
	p.mu.Unlock()
	defer func() {
		p.mu.Lock()
		delete(p.waiting, h.Sequence)
		p.mu.Unlock()
	}()
	for range by.Tries {
		if err := p.Send(request); err != nil {
			return Answer{}, err
		}
		timer := time.NewTimer(by.T1)
		select {
		case b := <-answer:
			timer.Stop()
			return ReadAnswer(b)
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return Answer{}, ctx.Err()
		case <-p.done:
			return Answer{}, net.ErrClosed
		}
	}
	return Answer{}, fmt.Errorf("%w to %s, sent %d times in %v", ErrUnanswered, h.Type, by.Tries, by.T1*time.Duration(by.Tries))
}

// Watch has f called with each answer that nobody waits for. f must not block.
func (p *Peer) Watch(f func(answer []byte)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.watch = f
}

// Send sends a datagram.
func (p *Peer) Send(b []byte) error {
	if _, err := p.conn.WriteTo(b, p.upf); err != nil && !passing(err) {
		return fmt.Errorf("send to the UPF on N4: %w", err)
	}
	return nil
}
