// Package rules is the one model of a PFCP session: its packet detection, forwarding action,
// QoS enforcement, usage reporting and buffering action rules (TS 29.244 clause 5.2), and the
// changes that a modification makes to them.
//
// It is data alone. Package smf writes it in a UPF's dialect. The sessions of a load are presets
// of it that package smf makes; behaviour cases build whatever they ask for, wrong rules included.
package rules

import (
	"net/netip"
	"time"
)

// Side is a Source or Destination Interface (TS 29.244 clauses 8.2.2, 8.2.24).
type Side uint8

// The sides of a UPF: towards the gNB, and towards the data network.
const (
	Access Side = 0
	Core   Side = 1
)

// Action is the set of actions of a FAR (clause 8.2.26), as the bits of octet 5.
type Action uint8

// The actions. Notify goes with Buffer: the UPF reports the first packet that it holds.
const (
	Drop      Action = 1 << 0
	Forward   Action = 1 << 1
	Buffer    Action = 1 << 2
	Notify    Action = 1 << 3
	Duplicate Action = 1 << 4
)

// Session is the rules of one session or, in a Change, those that are created or updated.
type Session struct {
	PDRs []PDR
	FARs []FAR
	QERs []QER
	URRs []URR
	BARs []BAR
	// Endpoints are traffic endpoints, which PDRs can refer to.
	Endpoints []Endpoint
	// PDN is the PDN Type (clause 8.2.79); 0 means that of the UE's addresses: IPv4v6 where a PDR
	// has both, IPv6 where one has a UE address of that family, and IPv4 otherwise.
	PDN uint8
	// Instance is the Network Instance in the session's PDRs and FARs; empty means the writer's.
	Instance string
}

// Ethernet is the PDN Type of Ethernet sessions.
const Ethernet uint8 = 5

// PDR is a packet detection rule.
type PDR struct {
	ID         uint16
	Precedence uint32 // a UPF looks at lower values first
	From       Side
	TEID       uint32 // of the local F-TEID; 0 omits the IE
	Choose     bool   // asks the UPF to choose the F-TEID
	ChooseID   uint8  // PDRs with the same one get the same F-TEID; 0 omits it
	// N3 is the address in the F-TEID; invalid means the writer's.
	N3         netip.Addr
	UE         netip.Addr
	UE6        netip.Addr // the IPv6 address of a UE that has both; UE is the IPv4 one then
	ChooseUE   bool       // asks the UPF to choose the UE's IPv4 address
	Endpoint   uint8      // ID of a traffic endpoint that replaces F-TEID and UE; 0 means none
	NoInstance bool       // omits the Network Instance
	Filters    []Filter
	QFIs       []uint8
	// Removal is the Outer Header Removal: 0 for that of the dialect, NoRemoval, or
	// Remove(description).
	Removal Removal
	FAR     uint32
	QERs    []uint32
	URRs    []uint32
	// WithoutPDI makes an update that leaves the PDI as it is.
	WithoutPDI bool
	// Interface is the 3GPP Interface Type; 0 means that of the side.
	Interface uint8
}

// Endpoint is a traffic endpoint (table 7.5.2.7-1), to which PDIs refer.
type Endpoint struct {
	ID     uint8
	TEID   uint32 // 0 omits the F-TEID
	UE     netip.Addr
	Source Side // Core makes UE the destination of its packets, Access their source
}

// Removal is an Outer Header Removal.
type Removal int

// NoRemoval omits the IE.
const NoRemoval Removal = -1

// Remove asks for a description of clause 8.2.64.
func Remove(description uint8) Removal { return Removal(description) + 1 }

// Filter is an SDF Filter (clause 8.2.5). Each zero value omits its part.
type Filter struct {
	Flow      string // flow description, as in TS 29.212 clause 5.4.2
	TOS, Mask uint8  // type of service; written when Mask is not 0
	SPI       uint32 // of IPsec
	FlowLabel uint32 // of IPv6, 20 bits
	ID        uint32 // makes the filter bidirectional
}

// FAR is a forwarding action rule.
type FAR struct {
	ID     uint32
	Action Action // 0 omits the IE, which leaves the action of an updated FAR as it is
	To     Side
	// Tunnel is where the outer header leads; nil creates none.
	Tunnel *Tunnel
	// Mark is the Transport Level Marking: type of service and its mask; nil omits it.
	Mark *[2]byte
	BAR  uint32 // ID of the BAR; 0 means none
	// EndMarkers asks for End Markers in the tunnel that an update leaves (clause 5.2.3.2).
	EndMarkers bool
	// Copy is where duplicates go; nil means nowhere.
	Copy *Tunnel
	// ActionOnly omits the forwarding parameters.
	ActionOnly bool
	// KeepDestination makes an update that changes the tunnel and leaves the destination
	// interface, its type and its network instance as they are.
	KeepDestination bool
	// Interface is the 3GPP Interface Type; 0 means that of the side.
	Interface uint8
}

// Tunnel is where an Outer Header Creation leads.
type Tunnel struct {
	TEID uint32 // of GTP-U
	Peer netip.Addr
	Kind Encapsulation
	Port uint16 // of UDP
}

// Encapsulation is the kind of an outer header. Its family is that of the peer's address.
type Encapsulation uint8

// The kinds of outer headers.
const (
	GTPU Encapsulation = iota
	UDP
	IP
)

// QER is a QoS enforcement rule.
type QER struct {
	ID                 uint32
	CloseUp, CloseDown bool   // close the gates, which are open otherwise
	QFI                uint8  // 0 omits it
	RQI                bool   // asks for reflective QoS
	PPI                *uint8 // Paging Policy Indicator, 0..7; nil omits it
	MBRUp, MBRDown     uint64 // kbit/s; both 0 mean that of the dialect
	GBRUp, GBRDown     uint64 // kbit/s; both 0 omit the IE
	// KeepGates makes an update that leaves the gates as they are.
	KeepGates bool
}

// URR is a usage reporting rule.
type URR struct {
	ID        uint32
	Method    uint8  // Duration, ByVolume and Event, or-ed
	Triggers  uint32 // octets 5 to 7 of Reporting Triggers, the lowest first
	Period    uint32 // of periodic reports, s; 0 omits it
	Threshold *Volume
	Quota     *Volume
	Time      uint32 // threshold, s; 0 omits it
	TimeQuota uint32 // s; 0 omits it
	// Monitoring is how long after the rule is written its Monitoring Time comes, in whole
	// seconds; 0 omits it.
	Monitoring time.Duration
	Packets    bool // asks for numbers of packets, too
	// QuotaFAR is the FAR ID for Quota Action; 0 omits it.
	QuotaFAR uint32
}

// Volume is a threshold, a quota or a measurement. A nil number is absent.
type Volume struct {
	Total, Up, Down           *uint64 // octets
	Packets, UpPkts, DownPkts *uint64 // of measurements only
}

// Octets makes a number of a Volume.
func Octets(n uint64) *uint64 { return &n }

// The measurement methods (clause 8.2.40).
const (
	Duration uint8 = 1
	ByVolume uint8 = 2
	Event    uint8 = 4
)

// The triggers of URRs (clause 8.2.19) and of usage reports (clause 8.2.41). Octet 5 is the lowest.
const (
	Periodic        uint32 = 1 << 0
	VolumeThreshold uint32 = 1 << 1
	TimeThreshold   uint32 = 1 << 2
	StartOfTraffic  uint32 = 1 << 4
	Immediate       uint32 = 1 << 7 // of a report only
	VolumeQuota     uint32 = 1 << 8
	TimeQuota       uint32 = 1 << 9
	Termination     uint32 = 1 << 11 // of a report only
	MonitoringTime  uint32 = 1 << 12 // of a report only
)

// BAR is a buffering action rule.
type BAR struct {
	ID    uint8
	Delay uint8 // of the downlink data notification, in units of 50 ms; 0 omits it
	Count uint8 // suggested number of packets to buffer; 0 omits it
}

// Removed lists the IDs of the rules that a modification removes.
type Removed struct {
	PDRs                   []uint16
	Endpoints              []uint8
	FARs, QERs, URRs, BARs []uint32
}

// Change is the contents of a Session Modification Request.
type Change struct {
	Create, Update Session
	Remove         Removed
	Query          []uint32 // IDs of URRs that are to report at once
	QueryAll       bool     // all URRs are to report at once
	DropBuffered   bool     // the UPF is to drop the packets that it holds
}

// N9Roaming is the 3GPP Interface Type of N9 between the UPFs of two operators (clause 8.2.118).
const N9Roaming uint8 = 21
