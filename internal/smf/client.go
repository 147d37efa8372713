package smf

import (
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"github.com/upflab/upflab/n4socket"
	"github.com/upflab/upflab/pfcp"
)

// Client is the SMF's end of one N4 association. Its methods may be called
// from several goroutines.
type Client struct {
	cfg     Config
	peer    netip.Addr // of cfg.Peer
	rules   ruleset
	started time.Time // our Recovery Time Stamp
	seq     pfcp.Sequence
	seid    atomic.Uint64
	stats   counters

	asked    asked
	sessions held
	findings findings
	replies  *pfcp.Replies[struct{}] // the reader's
	tap      atomic.Pointer[Tap]

	mu          sync.Mutex
	association *Association // nil when there is none

	associated chan Association // the latest that the UPF has set up
	done       chan struct{}
	closing    sync.Once
	running    sync.WaitGroup
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
	c := &Client{
		cfg: cfg, peer: peer.Addr().Unmap(),
		rules:      newRuleset(cfg.Dialect, cfg.NetworkInstance),
		started:    time.Now(),
		asked:      asked{bySeq: map[uint32]*exchange{}},
		sessions:   newHeld(),
		replies:    pfcp.NewReplies[struct{}](),
		associated: make(chan Association, 1),
		done:       make(chan struct{}),
	}
	c.seed()
	c.startReceiving()
	if cfg.Heartbeat > 0 {
		c.running.Go(c.keepAlive)
	}
	return c, nil
}

// seed starts sequence numbers and SEIDs at random: a UPF that remembers its
// answers to an earlier client must not replay them to this one.
func (c *Client) seed() {
	var b [8]byte
	rand.Read(b[:]) // never fails
	c.seq.Start(binary.BigEndian.Uint32(b[:]))
	c.seid.Store(uint64(binary.BigEndian.Uint32(b[4:])|1) << 32)
}

// Close ends the client and closes its connection. Requests under way fail.
// Nothing is sent to the UPF: see Release.
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
