package smf

import "net"

// answer answers a request of the UPF. A request that cannot be read is
// dropped: its sender will notice.
func (c *Client) answer(h header, ies []byte, from net.Addr) {
	r, err := decode(h, ies)
	if err != nil {
		c.stats.malformed.Add(1)
		c.cfg.Log.Warn("malformed request on N4", "message", messageName(h.typ), "error", err)
		return
	}
	switch h.typ {
	case msgHeartbeatRequest:
		c.answerHeartbeat(r, from)
	case msgAssociationSetupRequest:
		c.answerSetup(r, from)
	case msgReportRequest:
		c.answerReport(r, from)
	case msgAssociationUpdateRequest, msgNodeReportRequest, msgSessionSetDeletionRequest:
		c.accept(h, from)
	default:
		c.stats.unknown.Add(1)
		c.cfg.Log.Warn("unexpected request on N4", "message", messageName(h.typ))
	}
}

func (c *Client) answerHeartbeat(r reply, to net.Addr) {
	c.stats.heartbeats.Add(1)
	c.noteRecovery(r.recovery)
	var m builder
	m.node(msgHeartbeatResponse, r.seq)
	m.recovery(c.started)
	c.respond(m.bytes(), to)
}

// answerSetup takes the association that the UPF offers (clause 6.2.6.3).
func (c *Client) answerSetup(r reply, to net.Addr) {
	const noFeatures = 0
	cause := causeMandatoryMissing
	if r.nodeID != "" && !r.recovery.IsZero() {
		cause = causeAccepted
		defer c.announce(c.adopt(r))
	}
	var m builder
	m.node(msgAssociationSetupResponse, r.seq)
	m.nodeID(c.cfg.NodeID)
	m.ie(ieCause, byte(cause))
	m.recovery(c.started)
	m.ie(ieCPFeatures, noFeatures)
	c.respond(m.bytes(), to)
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
	upSEID, ok := c.sessions[r.seid]
	c.mu.Unlock()
	cause := causeAccepted
	if !ok {
		cause = causeContextNotFound
	}
	var m builder
	m.session(msgReportResponse, upSEID, r.seq)
	m.ie(ieCause, byte(cause))
	c.respond(m.bytes(), to)
}

// accept answers the node related requests that ask for nothing here.
func (c *Client) accept(h header, to net.Addr) {
	var m builder
	m.node(h.typ+1, h.seq)
	m.nodeID(c.cfg.NodeID)
	m.ie(ieCause, byte(causeAccepted))
	c.respond(m.bytes(), to)
}
