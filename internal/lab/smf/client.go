package smf

import (
	"crypto/rand"
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/internal/socket/n4socket"
)

// Client is the SMF's end of one N4 association. Its methods may be called from several goroutines.
type Client struct{ *responder }

// peering is who the client and the UPF are, what they have with each other, and what is noted of it.
type peering struct {
	cfg      Config
	peer     netip.AddrPort // cfg.Peer
	stats    counters
	sessions held
	findings findings

	mu          sync.Mutex
	started     time.Time    // our Recovery Time Stamp
	association *Association // nil when there is none
}

// exchange sends requests, and matches the answers.
type exchange struct {
	*peering
	seq          pfcp.Sequence
	seid         atomic.Uint64
	transactions transactions
	tap          atomic.Pointer[Tap]

	done    chan struct{}
	closing sync.Once
	running sync.WaitGroup
}

// responder reads what the UPF sends: it hands answers to the exchange, and answers requests.
type responder struct {
	*exchange
	replies *pfcp.Replies[struct{}] // the reader's
}

// Tap sees what the UPF sends without being asked. The reader of the connection calls its functions, which
// must not block; they keep nothing of ies. Each may be nil.
type Tap struct {
	// Request is given each request of the UPF before the client answers it.
	Request func(h pfcp.Header, ies []byte)
	// Unasked is given each response for which nobody waits.
	Unasked func(h pfcp.Header, ies []byte)
}

// Dial starts a client on cfg.Conn. Nothing is sent before Associate.
func Dial(cfg Config) (*Client, error) {
	cfg, err := cfg.complete()
	if err != nil {
		return nil, err
	}
	peer, err := netip.ParseAddrPort(cfg.Peer.String())
	if err != nil {
		return nil, fmt.Errorf("PFCP client: peer %q is not an IP address with a port: %w", cfg.Peer, err)
	}
	if udp, ok := cfg.Conn.(*net.UDPConn); ok && len(cfg.CPUs) > 0 {
		if cfg.Conn, err = ownThread(udp); err != nil {
			return nil, fmt.Errorf("PFCP client: %w", err)
		}
	}
	c := newClient(cfg, peer)
	c.seed()
	c.startReceiving()
	if cfg.Heartbeat > 0 {
		c.running.Go(c.keepAlive)
	}
	return c, nil
}

// newClient makes a client that neither reads nor sends yet.
func newClient(cfg Config, peer netip.AddrPort) *Client {
	p := &peering{cfg: cfg, peer: unmapped(peer), started: time.Now(), sessions: newHeld()}
	e := &exchange{peering: p, transactions: newTransactions(), done: make(chan struct{})}
	return &Client{&responder{exchange: e, replies: pfcp.NewReplies[struct{}]()}}
}

// seed starts sequence numbers and SEIDs at random: a UPF that remembers its answers to an earlier client
// must not replay them to this one.
func (c *exchange) seed() {
	var b [8]byte
	rand.Read(b[:]) // never fails
	c.seq.Start(binary.BigEndian.Uint32(b[:]))
	c.seid.Store(uint64(binary.BigEndian.Uint32(b[4:])|1) << 32)
}

// NextSEID gives a SEID that no other session of the client has.
func (c *exchange) NextSEID() uint64 { return c.seid.Add(1) }

// NextSequence gives a sequence number that no other recent request of the client has.
func (c *exchange) NextSequence() uint32 { return c.seq.Next() }

// SetTap replaces the tap; nil removes it.
func (c *exchange) SetTap(t *Tap) { c.tap.Store(t) }

// NewWriter makes a writer in the client's dialect.
func (c *Client) NewWriter() *Writer {
	return &Writer{Dialect: c.cfg.Dialect, Instance: c.cfg.NetworkInstance}
}

// Send sends a datagram to the UPF once. Errors that a later try may not meet count as loss.
func (c *exchange) Send(b []byte) error { return c.sendTo(b, c.cfg.Peer) }

func (c *exchange) sendTo(b []byte, to net.Addr) error {
	c.stats.sent.Add(1)
	_, err := c.cfg.Conn.WriteTo(b, to)
	if errors.Is(err, syscall.ENOBUFS) || errors.Is(err, syscall.ECONNREFUSED) {
		return nil
	}
	return err
}

// Close ends the client and closes its connection. Requests under way fail. Nothing is sent to the UPF: see
// Release.
func (c *Client) Close() error {
	var err error
	c.closing.Do(func() {
		close(c.done)
		if s, ok := c.cfg.Conn.(*n4socket.Socket); ok {
			s.Stop()
			c.running.Wait()
			err = s.Close()
			return
		}
		err = c.cfg.Conn.Close()
		c.running.Wait()
	})
	return err
}

func (c *exchange) isClosed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}

// Stats counts what happened on N4 since Dial.
type Stats struct {
	Sent           uint64 // datagrams, including retransmissions and answers
	Retransmitted  uint64 // requests that were sent again because no answer came
	Received       uint64 // datagrams
	Malformed      uint64 // messages that could not be read
	Unmatched      uint64 // answers for which nobody waited: late, or duplicates
	Foreign        uint64 // datagrams from another address than the UPF's
	OtherVersion   uint64 // messages of another PFCP version
	Unknown        uint64 // requests that no SMF is sent
	Heartbeats     uint64 // Heartbeat Requests answered
	Reports        uint64 // Session Report Requests answered
	HeartbeatsLost uint64 // own heartbeats without an answer
	PeerRestarts   uint64 // times the UPF's Recovery Time Stamp moved on
}

type counters struct {
	sent, retransmitted, received, malformed      atomic.Uint64
	unmatched, foreign, otherVersion, unknown     atomic.Uint64
	heartbeats, reports, heartbeatsLost, restarts atomic.Uint64
}

// Stats reads the counters.
func (c *peering) Stats() Stats {
	s := &c.stats
	return Stats{
		Sent: s.sent.Load(), Retransmitted: s.retransmitted.Load(), Received: s.received.Load(),
		Malformed: s.malformed.Load(), Unmatched: s.unmatched.Load(), Foreign: s.foreign.Load(),
		OtherVersion: s.otherVersion.Load(), Unknown: s.unknown.Load(), Heartbeats: s.heartbeats.Load(),
		Reports: s.reports.Load(), HeartbeatsLost: s.heartbeatsLost.Load(), PeerRestarts: s.restarts.Load(),
	}
}
