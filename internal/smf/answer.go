package smf

import (
	"net"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// answer answers a request of the UPF. A request that cannot be read is
// dropped: its sender will notice.
func (c *Client) answer(h pfcp.Header, ies []byte, from net.Addr) {
	r, err := decode(h, ies)
	if err != nil {
		c.stats.malformed.Add(1)
		c.cfg.Log.Warn("malformed request on N4", "message", h.Type, "error", err)
		return
	}
	switch h.Type {
	case pfcp.HeartbeatRequest:
		c.answerHeartbeat(r, from)
	case pfcp.AssociationSetupRequest:
		c.answerSetup(r, from)
	case pfcp.SessionReportRequest:
		c.answerReport(r, from)
	case pfcp.AssociationUpdateRequest, pfcp.NodeReportRequest, pfcp.SessionSetDeletionRequest:
		c.accept(h, from)
	default:
		c.stats.unknown.Add(1)
		c.cfg.Log.Warn("unexpected request on N4", "message", h.Type)
	}
}

func (c *Client) answerHeartbeat(r reply, to net.Addr) {
	c.stats.heartbeats.Add(1)
	c.noteRecovery(r.recovery)
	var m builder
	m.Begin(pfcp.Header{Type: pfcp.HeartbeatResponse, Sequence: r.Sequence})
	m.recovery(c.started)
	c.respond(m.Bytes(), to)
}

// answerSetup takes the association that the UPF offers (clause 6.2.6.3).
func (c *Client) answerSetup(r reply, to net.Addr) {
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
	c.respond(m.Bytes(), to)
}

// announce tells an Associate that waits for the UPF, or that will. Only the
// reader calls it, so that the place it makes is still free.
func (c *Client) announce(a Association) {
	select {
	case <-c.associated: // an older one that nobody waited for
	default:
	}
	c.associated <- a
}

// answerReport accepts a Session Report Request (clause 7.5.9), to be counted.
func (c *Client) answerReport(r reply, to net.Addr) {
	c.stats.reports.Add(1)
	c.mu.Lock()
	upSEID, ok := c.sessions[r.SEID]
	c.mu.Unlock()
	cause := ie.CauseRequestAccepted
	if !ok {
		cause = ie.CauseSessionContextNotFound
	}
	var m builder
	m.Begin(pfcp.Header{Type: pfcp.SessionReportResponse, SEID: upSEID, Sequence: r.Sequence})
	m.IE(ie.Cause, cause)
	c.respond(m.Bytes(), to)
}

// accept answers the node related requests that ask for nothing here.
func (c *Client) accept(h pfcp.Header, to net.Addr) {
	var m builder
	m.Begin(pfcp.Header{Type: h.Type + 1, Sequence: h.Sequence})
	m.nodeID(c.cfg.NodeID)
	m.IE(ie.Cause, ie.CauseRequestAccepted)
	c.respond(m.Bytes(), to)
}
