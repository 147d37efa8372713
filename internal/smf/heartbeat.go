package smf

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// Heartbeat asks the UPF whether it lives (TS 29.244 clause 6.2.2), and returns
// the round trip time. A retransmission is part of it.
func (c *Client) Heartbeat(ctx context.Context) (rtt time.Duration, err error) {
	begin := time.Now()
	r, err := c.ask(ctx, c.heartbeatRequest())
	if err != nil {
		return 0, err
	}
	rtt = time.Since(begin)
	if r.recovery.IsZero() {
		return 0, c.malformed(r.Type, errors.New("the mandatory IE Recovery Time Stamp is missing"))
	}
	c.noteRecovery(r.recovery)
	return rtt, nil
}

func (c *Client) heartbeatRequest() request {
	var m builder
	q := request{typ: pfcp.HeartbeatRequest, seq: c.seq.Next()}
	m.Begin(pfcp.Header{Type: q.typ, Sequence: q.seq})
	m.recovery(c.started)
	q.bytes = m.Bytes()
	return q
}

// keepAlive sends heartbeats while the client runs and an association stands.
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

func (c *Client) isAssociated() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.association != nil
}

func (c *Client) isClosed() bool {
	select {
	case <-c.done:
		return true
	default:
		return false
	}
}
