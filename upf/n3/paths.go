package n3

import (
	"context"
	"net"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Supervision says whether and how peers are asked by Echo Requests if they live (TS
// 29.281 clauses 7.2.1 and 12).
type Supervision struct {
	// Interval is between an answer and the next request; 0: none are sent. The
	// specification wants 60 s at least.
	Interval time.Duration
	T3       time.Duration // until a request is sent again; 0: 3 s
	N3       int           // how often it is sent in all; 0: 3
	// Peers lists who is asked.
	Peers func() []netip.Addr
	// Failed and Recovered are called when a peer does not answer any more, and when
	// it does again. They must not block.
	Failed, Recovered func(netip.Addr)
}

// path is the state of a peer.
type path struct {
	next     time.Time // when the next request is due
	sequence uint16    // of the request that waits for its answer
	pending  pfcp.Pending
	failed   bool
}

func (s Supervision) withDefaults() Supervision {
	if s.T3 <= 0 {
		s.T3 = 3 * time.Second
	}
	if s.N3 <= 0 {
		s.N3 = 3
	}
	return s
}

// supervise asks peers until ctx is done.
func (e *Endpoint) supervise(ctx context.Context) {
	if e.cfg.Supervision.Interval <= 0 {
		return
	}
	tick := time.NewTicker(min(e.cfg.Supervision.T3, e.cfg.Supervision.Interval) / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			e.askPeers(now)
		}
	}
}

// askPeers sends the requests that are due, and tells of peers that have failed.
func (e *Endpoint) askPeers(now time.Time) {
	due, failed := e.duePeers(e.cfg.Supervision.Peers(), now)
	for peer, sequence := range due {
		e.send(gtpu.AppendEchoRequest(nil, sequence), net.UDPAddrFromAddrPort(netip.AddrPortFrom(peer, e.cfg.PeerPort)))
	}
	for _, peer := range failed {
		e.cfg.Supervision.Failed(peer)
	}
}

func (e *Endpoint) duePeers(peers []netip.Addr, now time.Time) (due map[netip.Addr]uint16, failed []netip.Addr) {
	e.mu.Lock()
	defer e.mu.Unlock()
	due = map[netip.Addr]uint16{}
	kept := make(map[netip.Addr]*path, len(peers))
	for _, peer := range peers {
		p := e.paths[peer]
		if p == nil {
			p = &path{next: now}
		}
		kept[peer] = p
		switch p.step(now, e.cfg.Supervision, &e.sequence) {
		case pfcp.Send:
			due[peer] = p.sequence
			e.counters.EchoesSent++
		case pfcp.GiveUp:
			p.pending, p.next = pfcp.Pending{}, now.Add(e.cfg.Supervision.Interval)
			if !p.failed {
				p.failed = true
				e.counters.PathsFailed++
				failed = append(failed, peer)
			}
		}
	}
	e.paths = kept // those of peers without tunnels are forgotten
	return due, failed
}

func (p *path) step(now time.Time, by Supervision, sequence *uint16) pfcp.Step {
	if now.Before(p.next) {
		return pfcp.Wait
	}
	if p.pending.Sent == 0 {
		*sequence++
		p.sequence = *sequence
	}
	return p.pending.Next(now, pfcp.Retransmission{T1: by.T3, Tries: by.N3})
}

// echoed takes an Echo Response. It reports whether the peer had failed. The lock is
// held.
func (e *Endpoint) echoed(from netip.Addr, sequence uint16, now time.Time) (recovered bool) {
	p := e.paths[from]
	if p == nil || p.pending.Sent == 0 || p.sequence != sequence {
		e.counters.Other++
		return false
	}
	e.counters.EchoResponses++
	recovered = p.failed
	*p = path{next: now.Add(e.cfg.Supervision.Interval)}
	return recovered
}
