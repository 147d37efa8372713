package smf

import (
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// answerOnce answers a request of the UPF. One that is repeated gets the same answer without being counted again.
func (c *responder) answerOnce(h pfcp.Header, ies, datagram []byte, from netip.AddrPort) {
	now := time.Now()
	key := c.replies.Key(from, h.Sequence, datagram)
	if known, ok := c.replies.Get(key, now); ok {
		c.respond(known.Answer, from)
		return
	}
	if b := c.answer(h, ies, from); b != nil && h.Type != pfcp.HeartbeatRequest {
		c.replies.Put(key, b, struct{}{}, now)
	}
}

// answer answers a request and returns what it sent. A request that cannot be read is dropped, since its
// sender will notice; an observer answers it all the same.
func (c *responder) answer(h pfcp.Header, ies []byte, from netip.AddrPort) []byte {
	var m Message
	how := Strict
	if c.cfg.Observe {
		how = Tolerant
	}
	if err := m.Read(h, ies, how); err != nil {
		c.stats.malformed.Add(1)
		c.findings.add(FindingMalformed, "a %s: %v", h.Type, err)
		return nil
	}
	switch h.Type {
	case pfcp.HeartbeatRequest:
		return c.answerHeartbeat(m, from)
	case pfcp.AssociationSetupRequest:
		return c.answerSetup(m, from)
	case pfcp.SessionReportRequest:
		return c.answerReport(m, from)
	case pfcp.AssociationUpdateRequest, pfcp.NodeReportRequest, pfcp.SessionSetDeletionRequest:
		return c.accept(h, from)
	}
	c.stats.unknown.Add(1)
	if c.cfg.Observe {
		return c.accept(h, from)
	}
	c.cfg.Log.Warn("unexpected request on N4", "message", h.Type)
	return nil
}

func (c *responder) answerHeartbeat(request Message, to netip.AddrPort) []byte {
	c.stats.heartbeats.Add(1)
	c.noteRecovery(request.Recovery)
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: pfcp.HeartbeatResponse, Sequence: request.Sequence})
	c.writeRecovery(&m)
	return c.respond(m.Bytes(), to)
}

// answerSetup takes the association that the UPF offers (clause 6.2.6.3).
func (c *responder) answerSetup(request Message, to netip.AddrPort) []byte {
	const noFeatures = 0
	cause := ie.CauseMandatoryIEMissing
	if c.cfg.Observe || request.NodeID != (NodeID{}) && !request.Recovery.IsZero() {
		cause = ie.CauseRequestAccepted
		c.adopt(request)
	}
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: pfcp.AssociationSetupResponse, Sequence: request.Sequence})
	c.writeNodeID(&m)
	m.IE(ie.Cause, cause)
	c.writeRecovery(&m)
	m.IE(ie.CPFunctionFeatures, noFeatures)
	return c.respond(m.Bytes(), to)
}

// answerReport accepts a Session Report Request (clause 7.5.9), to be counted. An observer accepts that of
// a session that it does not know, too.
func (c *responder) answerReport(request Message, to netip.AddrPort) []byte {
	c.stats.reports.Add(1)
	upSEID, ok := c.sessions.upSEID(request.Header.SEID)
	cause := ie.CauseRequestAccepted
	if !ok && !c.cfg.Observe {
		cause = ie.CauseSessionContextNotFound
	}
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: pfcp.SessionReportResponse, SEID: upSEID, Sequence: request.Sequence})
	m.IE(ie.Cause, cause)
	return c.respond(m.Bytes(), to)
}

// accept answers the node related requests that ask for nothing here.
func (c *responder) accept(h pfcp.Header, to netip.AddrPort) []byte {
	var m pfcp.Builder
	m.Begin(pfcp.Header{Type: h.Type + 1, Sequence: h.Sequence})
	c.writeNodeID(&m)
	m.IE(ie.Cause, ie.CauseRequestAccepted)
	return c.respond(m.Bytes(), to)
}
