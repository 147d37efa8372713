// Package datapath is the cut between a UPF's sessions and what moves its
// packets. A Datapath is XDP, AF_PACKET or TUN; each passes the tests of
// package datapathtest.
package datapath

import (
	"github.com/upflab/upflab/upf/session"
)

// Datapath moves packets by rules.
//
// Apply, Counters and SessionCounters may be called from any goroutine.
type Datapath interface {
	// Apply changes sessions. All of the changes take effect or none does: on
	// error the datapath is as it was. A packet sees either the old or the new
	// rules of a session, never neither.
	Apply(changes []Change) error
	// Counters gives the totals since the datapath was opened.
	Counters() (Counters, error)
	// Close detaches from the interfaces and frees everything.
	Close() error
}

// Change replaces the rules of one session. Old is what an earlier Apply set,
// nil for a new session; New is nil for a session that goes.
type Change struct {
	Old, New *session.Rules
	// Final, when it is set, is called during an Apply that succeeds, for each URR that
	// Old has and New has not: what it counted, to the last packet.
	Final func(urr uint32, u session.Usage)
}

// Holder is a datapath that hands on the packets of FARs with BUFF, which others drop, and
// copies of those of FARs with DUPL.
type Holder interface {
	// OnHold has f called for each. f must not block, not call the datapath, and not keep
	// the T-PDU. It is called before the first Apply.
	OnHold(f func(Held))
	// Count adds downlink packets to a URR that were held, and are sent by somebody else.
	Count(seid uint64, urr uint32, c session.Count)
}

// Held is a packet that a Holder hands on.
type Held struct {
	SEID uint64
	PDR  uint16
	// Copy: the packet was forwarded, and this is a copy of it as it came.
	Copy bool
	// QFI and RQI are those of the PDU session container that it came with; 0 for none.
	QFI  uint8
	RQI  bool
	TPDU []byte
}

// Measurer is a datapath that counts the usage of URRs. One that is not refuses rules
// with URRs that a PDR names.
type Measurer interface {
	// Usage gives what a session's URR counted so far.
	Usage(seid uint64, urr uint32) (session.Usage, error)
	// SetLimits replaces the limits of a session's URR. Apply sets those of its rules.
	SetLimits(seid uint64, urr uint32, l session.Limits) error
	// OnAlarm has f called when a URR reaches its alarm. f must not block, and not call
	// the datapath. It is called before the first Apply.
	OnAlarm(f func(seid uint64, urr uint32))
}

// Resumer is a Measurer that goes on counting where an earlier process ended. Resume is
// called before the Apply that brings the session.
type Resumer interface {
	Resume(seid uint64, urr uint32, u session.Usage)
}

// Persistent is a datapath that can go on without its process, and take over from an
// earlier one.
type Persistent interface {
	// Start has packets go by the rules that were applied since it was opened, and no
	// more by those of an earlier process. It is called once.
	Start() error
	// Leave has Close leave all as it is, for a later process to take over.
	Leave()
}

// Counters are totals of packets by direction and by what became of them.
type Counters struct {
	Uplink, Downlink Direction
	// Drops is by reason; reasons with no packet are left out.
	Drops map[Reason]uint64
	// Passed were handed to the kernel: not for the user plane.
	Passed uint64
}

// Direction counts what was forwarded. Bytes are of the inner (T-PDU) packet.
type Direction struct {
	Packets, Bytes uint64
}
