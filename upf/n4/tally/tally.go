// Package tally counts what a PFCP server did.
package tally

import (
	"sync"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// Counters are totals since the server was made, in messages unless said
// otherwise, and two gauges.
type Counters struct {
	Received      uint64 `json:"received"`
	Sent          uint64 `json:"sent"`
	SendErrors    uint64 `json:"send_errors"`
	Malformed     uint64 `json:"malformed"`      // header or length wrong, or the decoder gave up
	DecoderPanics uint64 `json:"decoder_panics"` // part of Malformed
	OtherVersion  uint64 `json:"other_version"`
	UnknownType   uint64 `json:"unknown_type"`
	Unexpected    uint64 `json:"unexpected"` // known, but not for a UP function or not now
	Repeated      uint64 `json:"repeated"`   // requests answered from memory
	NotOwner      uint64 `json:"not_owner"`  // from who does not own the association or session, or may not set one up
	Overrun       uint64 `json:"overrun"`    // discarded: too many requests waited

	Heartbeats  uint64 `json:"heartbeats"` // requests received
	Established uint64 `json:"established"`
	// EstablishRequests and EstablishRejected are of Session Establishment Requests, the
	// latter by name of the cause.
	EstablishRequests uint64            `json:"establish_requests"`
	EstablishRejected map[string]uint64 `json:"establish_rejected"`
	Modified          uint64            `json:"modified"`
	Deleted           uint64            `json:"deleted"`        // sessions, whatever ended them
	Rejected          map[string]uint64 `json:"rejected"`       // by name of the cause
	BufferDrop        uint64            `json:"buffer_as_drop"` // FARs that asked for BUFF and drop instead

	Buffered   uint64 `json:"buffered"`    // downlink packets that were held
	BufferSent uint64 `json:"buffer_sent"` // held packets that were sent
	BufferLost uint64 `json:"buffer_lost"` // those that there was no room for, or no tunnel

	CopiesSent uint64 `json:"copies_sent"` // of packets of FARs with DUPL
	CopiesLost uint64 `json:"copies_lost"` // packets that were not copied: too many waited

	Advertised uint64 `json:"advertised"`   // answers to UEs' neighbour discovery, Router Advertisements above all
	TooBigSent uint64 `json:"too_big_sent"` // ICMPv6 Packet Too Big, to UEs and to hosts on N6, and ICMP Fragmentation Needed to the latter
	// ExpiredSent counts ICMP and ICMPv6 Time Exceeded to UEs.
	ExpiredSent uint64 `json:"expired_sent"`

	Reports     uint64 `json:"reports"`      // Session Report Requests
	NodeReports uint64 `json:"node_reports"` // Node Report Requests: of paths that failed, or are back
	ReportsLost uint64 `json:"reports_lost"` // those of either kind that were never answered

	ReportsAnswered uint64 `json:"reports_answered"`

	Associations int `json:"associations"` // now
	Sessions     int `json:"sessions"`     // now
}

func (c *Counters) Reject(of pfcp.MessageType, cause uint8) {
	c.Rejected[pfcp.Cause(cause).String()]++
	if of == pfcp.SessionEstablishmentRequest {
		c.EstablishRejected[pfcp.Cause(cause).String()]++
	}
}

// Tally is what was counted so far. Its lock is held for no call but that of the change.
type Tally struct {
	counting sync.Mutex
	Total    Counters
}

func New() *Tally {
	return &Tally{Total: Counters{Rejected: map[string]uint64{}, EstablishRejected: map[string]uint64{}}}
}

// Count changes the counters.
func (t *Tally) Count(change func(*Counters)) {
	t.counting.Lock()
	defer t.counting.Unlock()
	change(&t.Total)
}
