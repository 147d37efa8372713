package smf

import "sync/atomic"

// Stats counts what happened on N4 since Dial.
type Stats struct {
	Sent           uint64 // datagrams, retransmissions and answers among them
	Retransmitted  uint64 // requests sent again for want of an answer
	Received       uint64 // datagrams
	Malformed      uint64 // could not be read
	Unmatched      uint64 // answers that were not awaited: late, or duplicates
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
func (c *Client) Stats() Stats {
	s := &c.stats
	return Stats{
		Sent: s.sent.Load(), Retransmitted: s.retransmitted.Load(), Received: s.received.Load(),
		Malformed: s.malformed.Load(), Unmatched: s.unmatched.Load(), Foreign: s.foreign.Load(),
		OtherVersion: s.otherVersion.Load(), Unknown: s.unknown.Load(), Heartbeats: s.heartbeats.Load(),
		Reports: s.reports.Load(), HeartbeatsLost: s.heartbeatsLost.Load(), PeerRestarts: s.restarts.Load(),
	}
}
