package smf

import (
	"net"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// answerOnce answers a request of the UPF. One that is repeated gets the same
// answer without being counted again.
func (c *Client) answerOnce(h pfcp.Header, ies, datagram []byte, from net.Addr) {
	now := time.Now()
	peer, _ := netip.ParseAddrPort(from.String())
	key := c.replies.Key(peer, h.Sequence, datagram)
	if known, ok := c.replies.Get(key, now); ok {
		c.respond(known.Answer, from)
		return
	}
	if b := c.answer(h, ies, from); b != nil && h.Type != pfcp.HeartbeatRequest {
		c.replies.Put(key, b, struct{}{}, now)
	}
}

// answer answers a request and returns what it sent. A request that cannot be
// read is dropped: its sender will notice.
func (c *Client) answer(h pfcp.Header, ies []byte, from net.Addr) []byte {
	r, err := decode(h, ies)
	if err != nil {
		c.stats.malformed.Add(1)
		c.findings.add(FindingMalformed, "a %s: %v", h.Type, err)
		return nil
	}
	switch h.Type {
	case pfcp.HeartbeatRequest:
		return c.answerHeartbeat(r, from)
	case pfcp.AssociationSetupRequest:
		return c.answerSetup(r, from)
	case pfcp.SessionReportRequest:
		return c.answerReport(r, from)
	case pfcp.AssociationUpdateRequest, pfcp.NodeReportRequest, pfcp.SessionSetDeletionRequest:
		return c.accept(h, from)
	}
	c.stats.unknown.Add(1)
	c.cfg.Log.Warn("unexpected request on N4", "message", h.Type)
	return nil
}

func (c *Client) answerHeartbeat(r reply, to net.Addr) []byte {
	c.stats.heartbeats.Add(1)
	c.noteRecovery(r.recovery)
	var m builder
	m.Begin(pfcp.Header{Type: pfcp.HeartbeatResponse, Sequence: r.Sequence})
	m.recovery(c.started)
	return c.respond(m.Bytes(), to)
}

// answerSetup takes the association that the UPF offers (clause 6.2.6.3).
func (c *Client) answerSetup(r reply, to net.Addr) []byte {
	const noFeatures = 0
	cause := ie.CauseMandatoryIEMissing
	if r.nodeID != "" && !r.recovery.IsZero() {
		cause = ie.CauseRequestAccepted
		defer c.announce(c.adopt(r))
	}
	var m builder
	m.Begin(pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: r.Sequence})
	m.nodeID(c.cfg.NodeID)
	m.IE(ie.Cause, cause)
	m.recovery(c.started)
	m.IE(ie.CPFunctionFeatures, noFeatures)
	return c.respond(m.Bytes(), to)
}

// announce passes the association to the Associate that waits for the UPF, or will. Only the
// reader calls it, so that the place it makes is still free.
func (c *Client) announce(a Association) {
	select {
	case <-c.associated: // an older one, which no Associate took
	default:
	}
	c.associated <- a
}

// answerReport accepts a Session Report Request (clause 7.5.9), to be counted.
func (c *Client) answerReport(r reply, to net.Addr) []byte {
	c.stats.reports.Add(1)
	upSEID, ok := c.sessions.upSEID(r.SEID)
	cause := ie.CauseRequestAccepted
	if !ok {
		cause = ie.CauseSessionContextNotFound
	}
	var m builder
	m.Begin(pfcp.Header{Type: pfcp.SessionReportResponse, SEID: upSEID, Sequence: r.Sequence})
	m.IE(ie.Cause, cause)
	return c.respond(m.Bytes(), to)
}

// accept answers the node related requests that ask for nothing here.
func (c *Client) accept(h pfcp.Header, to net.Addr) []byte {
	var m builder
	m.Begin(pfcp.Header{Type: h.Type + 1, Sequence: h.Sequence})
	m.nodeID(c.cfg.NodeID)
	m.IE(ie.Cause, ie.CauseRequestAccepted)
	return c.respond(m.Bytes(), to)
}
