package smf

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// Association is what the UPF says about itself.
type Association struct {
	NodeID       string    // an address or a name
	RecoveryTime time.Time // when it started, to the second
	Features     Features
}

// Associate sets the association up (TS 29.244 clause 6.2.6), or waits for the
// UPF to do so where the dialect says it does. Sessions of an earlier
// association are gone afterwards, with most UPFs.
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
	if c.cfg.Dialect.UPInitiates {
		return c.awaitSetup(ctx)
	}
	r, err := c.ask(ctx, c.setupRequest())
	if err != nil {
		return Association{}, err
	}
	if r.nodeID == "" || r.recovery.IsZero() {
		return Association{}, c.malformed(r.Type, errors.New("the mandatory IE Node ID or Recovery Time Stamp is missing"))
	}
	return c.adopt(r), nil
}

func (c *Client) setupRequest() request {
	var m builder
	q := request{typ: pfcp.AssociationSetupRequest, seq: c.seq.Next()}
	m.Begin(pfcp.Header{Type: q.typ, Sequence: q.seq})
	m.nodeID(c.cfg.NodeID)
	m.recovery(c.started)
	q.bytes = m.Bytes()
	return q
}

// awaitSetup waits until the UPF has associated.
func (c *Client) awaitSetup(ctx context.Context) (Association, error) {
	select {
	case a := <-c.associated:
		return a, nil
	case <-ctx.Done():
		return Association{}, fmt.Errorf("wait for UPF %s to associate: %w; check that its configuration names the SMF %s",
			c.cfg.Peer, ctx.Err(), c.cfg.NodeID)
	case <-c.done:
		return Association{}, fmt.Errorf("wait for UPF %s to associate: %w", c.cfg.Peer, net.ErrClosed)
	}
}

// adopt makes r's association the present one; a new one has no sessions.
func (c *Client) adopt(r reply) Association {
	a := Association{NodeID: r.nodeID, RecoveryTime: r.recovery, Features: r.features}
	c.mu.Lock()
	c.association = &a
	c.mu.Unlock()
	c.sessions.clear()
	return a
}

// noteRecovery watches for a UPF that has restarted (clause 19A of TS 23.007).
func (c *Client) noteRecovery(t time.Time) {
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

// Release ends the association, and with it all its sessions (clause 6.2.8).
func (c *Client) Release(ctx context.Context) error {
	q := c.releaseRequest()
	if c.cfg.Dialect.ReleaseUnanswered {
		if err := c.send(q.bytes, c.cfg.Peer); err != nil {
			return fmt.Errorf("send %s to UPF %s: %w", q.typ, c.cfg.Peer, err)
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

func (c *Client) releaseRequest() request {
	var m builder
	q := request{typ: pfcp.AssociationReleaseRequest, seq: c.seq.Next()}
	m.Begin(pfcp.Header{Type: q.typ, Sequence: q.seq})
	m.nodeID(c.cfg.NodeID)
	q.bytes = m.Bytes()
	return q
}
