package smf

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Association is what the UPF says about itself.
type Association struct {
	NodeID       string    // an address or a name
	RecoveryTime time.Time // when it started, to the second
	Features     Features
}

// Associate sets the association up (TS 29.244 clause 6.2.6). With most UPFs the sessions of an
// earlier association are gone afterwards.
func (c *Client) Associate(ctx context.Context) (Association, error) {
	a, err := c.setup(ctx)
	if err != nil {
		return Association{}, err
	}
	if c.cfg.Dialect.HeartbeatFirst {
		if _, err := c.Heartbeat(ctx); err != nil {
			return Association{}, err
		}
	}
	return a, nil
}

func (c *Client) setup(ctx context.Context) (Association, error) {
	m, err := c.ask(ctx, c.SetupRequest())
	if err != nil {
		return Association{}, err
	}
	if m.NodeID == (NodeID{}) || m.Recovery.IsZero() {
		return Association{}, c.malformed(m.Type, errors.New("the mandatory IE Node ID or Recovery Time Stamp is missing"))
	}
	return c.adopt(m), nil
}

// adopt makes the association of a message the present one. A new association has no sessions.
func (c *peering) adopt(m Message) Association {
	a := Association{NodeID: m.NodeID.String(), RecoveryTime: m.Recovery, Features: m.Features}
	c.mu.Lock()
	c.association = &a
	c.mu.Unlock()
	c.sessions.clear()
	return a
}

func (c *peering) isAssociated() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.association != nil
}

// Release ends the association, and with it all its sessions (clause 6.2.8).
func (c *Client) Release(ctx context.Context) error {
	q := c.ReleaseRequest()
	if c.cfg.Dialect.ReleaseUnanswered {
		if err := c.Send(q.Bytes); err != nil {
			return fmt.Errorf("send %s to UPF %s: %w", q.Type, c.cfg.Peer, err)
		}
	} else if _, err := c.ask(ctx, q); err != nil {
		return err
	}
	c.mu.Lock()
	c.association = nil
	c.mu.Unlock()
	c.sessions.clear()
	return nil
}

// Heartbeat asks the UPF whether it lives (TS 29.244 clause 6.2.2), and returns the round trip time,
// retransmissions included.
func (c *Client) Heartbeat(ctx context.Context) (rtt time.Duration, err error) {
	begin := time.Now()
	m, err := c.ask(ctx, c.HeartbeatRequest())
	if err != nil {
		return 0, err
	}
	rtt = time.Since(begin)
	if m.Recovery.IsZero() {
		return 0, c.malformed(m.Type, errors.New("the mandatory IE Recovery Time Stamp is missing"))
	}
	c.noteRecovery(m.Recovery)
	return rtt, nil
}

// keepAlive sends heartbeats while the client runs and is associated.
func (c *Client) keepAlive() {
	ticker := time.NewTicker(c.cfg.Heartbeat)
	defer ticker.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-ticker.C:
		}
		if !c.isAssociated() {
			continue
		}
		if _, err := c.Heartbeat(context.Background()); err != nil && !c.isClosed() {
			c.stats.heartbeatsLost.Add(1)
			c.cfg.Log.Warn("heartbeat failed", "error", err)
		}
	}
}

// noteRecovery finds that the UPF has restarted (clause 19A of TS 23.007).
func (c *peering) noteRecovery(t time.Time) {
	c.mu.Lock()
	restarted := c.association != nil && !t.IsZero() && t.After(c.association.RecoveryTime)
	if restarted {
		c.association.RecoveryTime = t
	}
	c.mu.Unlock()
	if restarted {
		c.sessions.clear()
		c.stats.restarts.Add(1)
		c.findings.add(FindingRestarted, "at %s", t.Format(time.RFC3339))
		c.cfg.Log.Warn("the UPF restarted: its sessions are gone", "upf", c.cfg.Peer, "since", t)
	}
}

// Restart gives the SMF a Recovery Time Stamp that is later by a second at least, as if it had restarted.
func (c *peering) Restart() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.started = c.started.Add(time.Second)
	if now := time.Now(); now.After(c.started) {
		c.started = now
	}
}

// writeRecovery writes our Recovery Time Stamp (clause 8.2.65).
func (c *peering) writeRecovery(m *pfcp.Builder) {
	c.mu.Lock()
	defer c.mu.Unlock()
	m.IE32(ie.RecoveryTimeStamp, pfcp.Timestamp(c.started))
}

// HeartbeatRequest writes a Heartbeat Request (table 7.4.2.1-1).
func (c *exchange) HeartbeatRequest() Request {
	return c.nodeRequest(pfcp.HeartbeatRequest, c.writeRecovery)
}

// SetupRequest writes an Association Setup Request (table 7.4.4.1-1).
func (c *exchange) SetupRequest() Request {
	return c.nodeRequest(pfcp.AssociationSetupRequest, c.writeNodeID, c.writeRecovery)
}

// ReleaseRequest writes an Association Release Request (table 7.4.4.5-1).
func (c *exchange) ReleaseRequest() Request {
	return c.nodeRequest(pfcp.AssociationReleaseRequest, c.writeNodeID)
}

func (c *peering) writeNodeID(m *pfcp.Builder) { WriteNodeID(m, c.cfg.NodeID) }

// nodeRequest writes a node related request with the next sequence number.
func (c *exchange) nodeRequest(typ pfcp.MessageType, write ...func(*pfcp.Builder)) Request {
	q := Request{Type: typ, Sequence: c.seq.Next()}
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: typ, Sequence: q.Sequence})
	for _, w := range write {
		w(&m)
	}
	q.Bytes = m.Bytes()
	return q
}
