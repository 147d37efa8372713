// Package rules are the rules of PFCP sessions as behaviour cases write them, and how
// they go on the wire in a UPF's dialect. Unlike those of package smf they are whatever a
// case asks for, wrong ones among them.
package rules

import (
	"net/netip"
	"time"
)

// Side is a Source or Destination Interface (TS 29.244 clauses 8.2.2, 8.2.24).
type Side uint8

// The sides.
const (
	Access Side = 0
	Core   Side = 1
)

// Action is the set of a FAR's actions (clause 8.2.26), octet 5.
type Action uint8

// The actions.
const (
	Drop      Action = 1 << 0
	Forward   Action = 1 << 1
	Buffer    Action = 1 << 2
	Notify    Action = 1 << 3
	Duplicate Action = 1 << 4
)

// Session is the rules of one session, or, in a modification, those that are created or
// updated.
type Session struct {
	PDRs []PDR
	FARs []FAR
	QERs []QER
	URRs []URR
	BARs []BAR
	// Endpoints are traffic endpoints.
	Endpoints []Endpoint
	// PDN is the PDN Type (clause 8.2.79); 0: IPv4, or IPv6 where a UE has such an address.
	PDN uint8
}

// Ethernet is the PDN Type of Ethernet sessions.
const Ethernet uint8 = 5

// PDR is a packet detection rule.
type PDR struct {
	ID         uint16
	Precedence uint32
	From       Side
	TEID       uint32 // of the local F-TEID; 0: none
	Choose     bool   // the UPF chooses the F-TEID
	ChooseID   uint8  // 0: none
	// N3 is the address of the F-TEID; invalid: the UPF's usual one.
	N3         netip.Addr
	UE         netip.Addr
	ChooseUE   bool
	Endpoint   uint8 // of a traffic endpoint, in the place of F-TEID and UE; 0: none
	NoInstance bool
	Filters    []Filter
	QFIs       []uint8
	// Removal is Outer Header Removal: 0 for that of the dialect, NoRemoval, or
	// Remove(description).
	Removal Removal
	FAR     uint32
	QERs    []uint32
	URRs    []uint32
	// WithoutPDI makes an update that leaves the PDI as it is.
	WithoutPDI bool
	// Interface is the 3GPP Interface Type; 0: that of the side.
	Interface uint8
}

// Endpoint is a traffic endpoint (table 7.5.2.7-1): what PDIs refer to.
type Endpoint struct {
	ID     uint8
	TEID   uint32 // 0: none
	UE     netip.Addr
	Source Side // whose packets it is of: it says which of their addresses UE is
}

// Removal is an Outer Header Removal.
type Removal int

// NoRemoval leaves the IE out.
const NoRemoval Removal = -1

// Remove asks for a description of clause 8.2.64.
func Remove(description uint8) Removal { return Removal(description) + 1 }

// Filter is an SDF Filter (clause 8.2.5).
type Filter struct {
	Flow      string // description
	TOS, Mask uint8  // where Mask is not 0
	SPI       uint32 // where not 0
	FlowLabel uint32 // where not 0
	ID        uint32 // where not 0: bidirectional
}

// FAR is a forwarding action rule.
type FAR struct {
	ID     uint32
	Action Action
	To     Side
	// Tunnel is where an outer header leads; nil: none is made.
	Tunnel *Tunnel
	// Mark is the Transport Level Marking: ToS and its mask; nil: none.
	Mark *[2]byte
	BAR  uint32
	// EndMarkers asks for them, in an update.
	EndMarkers bool
	// Copy is where duplicates go.
	Copy *Tunnel
	// ActionOnly leaves the parameters out.
	ActionOnly bool
	// Interface is the 3GPP Interface Type; 0: that of the side.
	Interface uint8
}

// Tunnel is what Outer Header Creation leads to.
type Tunnel struct {
	TEID uint32
	Peer netip.Addr
	Kind Encapsulation
	Port uint16 // of UDP
}

// Encapsulation is the outer header of a tunnel, of the family of its peer.
type Encapsulation uint8

// The kinds.
const (
	GTPU Encapsulation = iota
	UDP
	IP
)

// QER is a QoS enforcement rule.
type QER struct {
	ID                 uint32
	CloseUp, CloseDown bool
	QFI                uint8
	RQI                bool
	MBRUp, MBRDown     uint64 // kbit/s; both 0: no IE
	GBRUp, GBRDown     uint64
}

// URR is a usage reporting rule.
type URR struct {
	ID        uint32
	Method    uint8  // Duration, Volume, Event
	Triggers  uint32 // octets 5 to 7, as their bits are named below
	Period    uint32 // s
	Threshold *Volume
	Quota     *Volume
	Time      uint32 // threshold, s
	TimeQuota uint32 // s
	// Monitoring is how long after it is written its Monitoring Time is, in whole seconds; 0:
	// there is none.
	Monitoring time.Duration
	Packets    bool // asks for numbers of packets, too
	// QuotaFAR is the FAR ID for Quota Action; 0: none.
	QuotaFAR uint32
}

// Volume is a threshold, a quota or a measurement, octets.
type Volume struct {
	Total, Up, Down           *uint64
	Packets, UpPkts, DownPkts *uint64
}

// Octets makes a number of a Volume.
func Octets(n uint64) *uint64 { return &n }

// The measurement methods (clause 8.2.40).
const (
	Duration uint8 = 1
	ByVolume uint8 = 2
	Event    uint8 = 4
)

// Triggers (clause 8.2.19 and 8.2.41): octet 5 is the lowest.
const (
	Periodic        uint32 = 1 << 0
	VolumeThreshold uint32 = 1 << 1
	TimeThreshold   uint32 = 1 << 2
	QuotaHolding    uint32 = 1 << 3
	StartOfTraffic  uint32 = 1 << 4
	StopOfTraffic   uint32 = 1 << 5
	VolumeQuota     uint32 = 1 << 8
	TimeQuota       uint32 = 1 << 9
	Termination     uint32 = 1 << 11 // of a report
	MonitoringTime  uint32 = 1 << 12 // the same
	Immediate       uint32 = 1 << 7  // of a report
)

// BAR is a buffering action rule.
type BAR struct {
	ID    uint8
	Delay uint8 // in 50 ms
	Count uint8 // Suggested Buffering Packets Count; 0: none
}

// Removed are the rules that a modification removes.
type Removed struct {
	PDRs                   []uint16
	Endpoints              []uint8
	FARs, QERs, URRs, BARs []uint32
}

// Change is a Session Modification Request.
type Change struct {
	Create, Update Session
	Remove         Removed
	Query          []uint32 // URRs
	QueryAll       bool
	DropBuffered   bool
}
