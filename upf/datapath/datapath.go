// Package datapath is the cut between a UPF's sessions and what moves its
// packets. A Datapath is XDP, AF_PACKET or TUN; each passes the tests of
// package datapathtest.
package datapath

import (
	"errors"

	"github.com/upflab/upflab/upf/session"
)

// Datapath moves packets by rules.
//
// Apply, Counters and what Capabilities returns may be called from any goroutine.
type Datapath interface {
	// Apply changes sessions. All of the changes take effect or none does: on
	// error the datapath is as it was. A packet sees either the old or the new
	// rules of a session, never neither.
	Apply(changes []Change) error
	// Counters gives the totals since the datapath was opened.
	Counters() (Counters, error)
	// Capabilities returns what else this datapath can do. They do not change while it is
	// open.
	Capabilities() Capabilities
	// Close detaches from the interfaces and frees everything.
	Close() error
}

// ErrFull is what Apply's error wraps when a table has no room for the rules.
// A PFCP peer is answered with the cause "No resources available" (75). When
// it is one rule that cannot be carried out, Apply's error is, or wraps, a
// *session.RuleError.
var ErrFull = errors.New("the datapath's tables are full")

// Change replaces the rules of one session. Old is what an earlier Apply set,
// nil for a new session; New is nil for a session that goes.
type Change struct {
	Old, New *session.Rules
	// Final, when it is set, is called during an Apply that succeeds, for each URR that
	// Old has and New has not: what it counted, to the last packet. A URR is the same as
	// long as its key is.
	Final func(urr session.URRKey, u session.Usage)
}

// Counters are totals of packets by direction and by what became of them.
type Counters struct {
	Uplink, Downlink Direction
	// Accepted are the G-PDUs that came in by the UEs' tunnels on N3, whatever became of them.
	Accepted Direction
	// Drops is by reason; reasons with no packet are left out.
	Drops map[Reason]uint64
	// Passed were handed to the kernel: not for the user plane.
	Passed uint64
	// Lost were taken by Inject, and the kernel refused to have the rules run over them.
	Lost uint64
}

// Direction counts packets one way. Bytes are of the inner (T-PDU) packet.
type Direction struct {
	Packets, Bytes uint64
}
