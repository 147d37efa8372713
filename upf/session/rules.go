// Package session holds the rules of PDU sessions as the user plane sees
// them: what to match, what to do with it. The types are the UPF's own, not
// PFCP's: package pfcp translates, package datapath applies.
//
// The names follow 3GPP TS 29.244 clause 5.2 (packet forwarding model).
package session

import (
	"fmt"
	"net/netip"
	"time"
)

// Interface is the side of the UPF a packet comes from or goes to
// (TS 29.244 clause 8.2.2, Source Interface).
type Interface uint8

// The interfaces that a datapath knows.
const (
	Access Interface = iota // N3, towards the gNB
	Core                    // N6, towards the data network
	// CPFunction is the SMF, to which packets go by a tunnel (N4-U), and as a FAR's
	// destination only: what comes from there is as from another UPF, so from Core.
	CPFunction
)

// String gives the interface's name in the words of TS 29.244.
func (i Interface) String() string {
	switch i {
	case Access:
		return "access"
	case CPFunction:
		return "the CP function"
	}
	return "core"
}

// PDI is the packet detection information of a PDR (TS 29.244 table 7.5.2.2-2).
// A packet matches when every field that is set matches.
type PDI struct {
	Source Interface
	// TEID is the local F-TEID's TEID; valid when HasTEID. IPv4 only today.
	TEID    uint32
	HasTEID bool
	// UE is the UE's IPv4 address, UE6 its IPv6 prefix, masked, 64 bits long unless it
	// was delegated more or is one address: the destination of a packet from the core,
	// the inner source of a packet from the access side. Invalid when not given; when
	// both are, either matches.
	UE  netip.Addr
	UE6 netip.Prefix
	// Framed are networks behind the UE, of either family, whose addresses are as good as the
	// UE's (framed routes, TS 23.501 clause 5.6.14); there are none without a UE address.
	Framed []netip.Prefix `json:",omitempty"`
	// Borrowed is that UE, UE6 and Framed are those of another PDR of the session, for this one was given none.
	Borrowed bool `json:",omitempty"`
	// QFIs restricts to some QoS flows; empty when none is given.
	QFIs QFISet
	// Filters are alternatives; every packet passes when there is none.
	Filters []Filter
	// Endpoint is the traffic endpoint that TEID, UE addresses and perhaps QFIs are from;
	// 0 when there is none, and else its ID and one, for IDs begin at 0.
	Endpoint uint16 `json:",omitempty"`
	// Application is an Application ID, from which Filters come; without any, nothing
	// passes. Empty when not given.
	Application string
}

// HasUE reports whether the UE's address, of either family, is a part of the match.
func (p *PDI) HasUE() bool { return p.UE.IsValid() || p.UE6.IsValid() }

// Networks are the UE's address, as a prefix, and the networks behind it, of one family. They
// are appended to the list.
func (p *PDI) Networks(list []netip.Prefix, ipv6 bool) []netip.Prefix {
	switch {
	case ipv6 && p.UE6.IsValid():
		list = append(list, p.UE6)
	case !ipv6 && p.UE.IsValid():
		list = append(list, netip.PrefixFrom(p.UE, p.UE.BitLen()))
	}
	for _, f := range p.Framed {
		if f.Addr().Is6() == ipv6 {
			list = append(list, f)
		}
	}
	return list
}

// Endpoint is a traffic endpoint: what PDIs have in common (TS 29.244 table 7.5.2.7-1).
// Datapaths find it in the PDIs.
type Endpoint struct {
	ID  uint8
	PDI // its TEID, UE addresses and QFIs
}

// Fill gives a PDI that refers to the endpoint what is in it.
func (e *Endpoint) Fill(p *PDI) {
	p.TEID, p.HasTEID, p.UE, p.UE6, p.Framed, p.Borrowed = e.TEID, e.HasTEID, e.UE, e.UE6, e.Framed, false
	if e.QFIs != 0 {
		p.QFIs = e.QFIs
	}
}

// EndpointKey is a PDI's Endpoint for an ID.
func EndpointKey(id uint8) uint16 { return uint16(id) + 1 }

// PDR is a packet detection rule.
type PDR struct {
	ID uint16
	// Precedence orders the PDRs of a session, the lowest value first
	// (TS 29.244 clause 8.2.11).
	Precedence uint32
	PDI        PDI
	// RemoveOuterHeader asks to strip an outer header (clause 8.2.64), and Removal says of
	// which kind. A PDR without a TEID matches packets that come in such a tunnel alone, and
	// plain ones where nothing is removed.
	RemoveOuterHeader bool
	Removal           Encapsulation `json:",omitempty"`
	FAR               uint32        // 0 when absent
	QERs              []uint32      // the first that carries a QFI marks the packet
	URRs              []uint32
	// Predefined are the names of the predefined rules that the PDR has active. Datapaths find what
	// those give it in the other fields.
	Predefined []string `json:",omitempty"`
}

// Action is the set of a FAR's actions (TS 29.244 clause 8.2.26).
type Action uint8

// The actions. Buffer and Notify are accepted by Validate only when a datapath
// offers them.
const (
	Drop Action = 1 << iota
	Forward
	Buffer
	Notify
	Duplicate
)

// OuterHeader is the outer header that a FAR creates (clause 8.2.56).
type OuterHeader struct {
	TEID uint32     // of GTP-U
	Peer netip.Addr // the gNB's N3 address, or where a tunnel on N6 ends
	// Kind is GTPU but for tunnels on N6; Port is where those with UDP end.
	Kind Encapsulation `json:",omitempty"`
	Port uint16        `json:",omitempty"`
}

// FAR is a forwarding action rule.
type FAR struct {
	ID          uint32
	Action      Action
	Destination Interface
	// Outer is nil when no header is to be created.
	Outer *OuterHeader
	// Marking is the type of service, or traffic class, of the outer header that is
	// created (clause 8.2.12).
	Marking uint8
	// Copies are where copies of the packets go, of a FAR with Duplicate.
	Copies []Copy
	BAR    uint32 // of packets that are buffered; 0 when absent
}

// Copy is a tunnel that a FAR's copies go into (TS 29.244 table 7.5.2.3-3). Who holds the
// packets sends them, not the datapath.
type Copy struct {
	OuterHeader
	Marking uint8
}

// BAR is a buffering action rule. Who holds the packets carries it out, not the
// datapath.
type BAR struct {
	ID uint32
	// Delay is from the first packet that is held to its notification.
	Delay time.Duration
	// Packets is how many the session holds at most; 0 when not given.
	Packets int
}

// QER is a QoS enforcement rule. The PDRs that name it share its rates.
type QER struct {
	ID     uint32
	QFI    uint8 // 0 when absent
	RQI    bool  // marks downlink packets for reflective QoS
	PPI    PPI   `json:",omitzero"`
	GateUL bool  // true: open
	GateDL bool
	MBRUL  uint64 // bits/s of T-PDUs, 0 for no limit
	MBRDL  uint64
	GBRUL  uint64 // bits/s, kept; nothing is reserved
	GBRDL  uint64
	// Window is the averaging window of the maximum bit rate (TS 23.501 clause 5.7.3.6);
	// 0 when the SMF gives none, which means AveragingWindow.
	Window time.Duration
}

// PPI is a Paging Policy Indicator, by which a RAN pages a UE in RRC inactive for a downlink packet
// (TS 23.501 clause 5.4.3.2, TS 29.244 clause 8.2.116). The zero value is none.
type PPI uint8

// MaxPPI is the largest indicator.
const MaxPPI = 7

const hasPPI PPI = MaxPPI + 1

// PPIOf is the indicator of a value, of which the low three bits count.
func PPIOf(value uint8) PPI { return PPI(value&MaxPPI) | hasPPI }

// Value gives the indicator's value, 0..MaxPPI; false: there is none.
func (p PPI) Value() (uint8, bool) { return uint8(p & MaxPPI), p != 0 }

// MarshalText writes the value.
func (p PPI) MarshalText() ([]byte, error) { return []byte{'0' + byte(p&MaxPPI)}, nil }

// UnmarshalText reads it.
func (p *PPI) UnmarshalText(text []byte) error {
	if len(text) != 1 || text[0] < '0' || text[0] > '0'+MaxPPI {
		return fmt.Errorf("%q is no Paging Policy Indicator: it is 0..%d", text, MaxPPI)
	}
	*p = PPIOf(text[0] - '0')
	return nil
}

// AveragingWindow is the averaging window of a rate for which the SMF gives none: the
// default of TS 23.501 table 5.7.4-1 for standardized 5QIs. TS 23.501 clause 5.7.2.6 gives
// no number for the window of the Session-AMBR.
const AveragingWindow = 2 * time.Second

// Limited reports whether packets from the interface have a maximum bit rate.
func (q *QER) Limited(from Interface) bool { return q.MBR(from) > 0 }

// MBR is the maximum bit rate of packets from the interface, bits/s.
func (q *QER) MBR(from Interface) uint64 {
	if from == Access {
		return q.MBRUL
	}
	return q.MBRDL
}

// Rules is everything that one session asks of the datapath.
type Rules struct {
	SEID uint64 // the UPF's own (UP) SEID
	PDRs []PDR
	FARs []FAR
	QERs []QER
	URRs []URR
	BARs []BAR
	// Endpoints are those that PDIs refer to, or may.
	Endpoints []Endpoint `json:",omitempty"`
}
