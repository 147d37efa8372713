package datapath

// Reason says why a packet was dropped. The values are those of enum
// upf_drop in internal/proto/bpf/drop.h; a test holds the two together.
type Reason uint8

// The closed set of reasons.
const (
	ReasonMalformedOuter Reason = iota // outer IP or UDP header does not parse
	ReasonMalformedGTP                 // GTP-U header or extension chain does not parse
	ReasonMalformedInner               // the T-PDU is not an IP packet
	ReasonUnknownTEID                  // no PDR for the TEID (TS 29.281 clause 7.3.1)
	ReasonUnknownUE                    // no PDR for the UE address
	ReasonSourceMismatch               // inner source is not the session's UE
	ReasonQFIMismatch                  // QFI is not the PDR's
	ReasonFARDrop                      // the FAR says drop
	ReasonGateClosed                   // the QER's gate is closed
	ReasonNoRoute                      // no route to the next hop
	ReasonTooBig                       // result exceeds the egress MTU
	ReasonTTL                          // inner TTL ran out
	ReasonHeadroom                     // no room for the outer header
	ReasonUnsupported                  // a GTP-U message or version not handled
	ReasonToUPF                        // a UE's packet to an address of the machine
	ReasonNested                       // a UE's packet is GTP-U itself
	ReasonNoTunnel                     // IP that is neither tunnelled nor a UE's, to be routed through
	ReasonEgress                       // a UE's packet whose route leaves by another interface than N6
	ReasonPFCP                         // PFCP that did not come in by N4's interface
	ReasonFlood                        // GTP-U signalling beyond what one source may send
	ReasonNoPDR                        // no PDR of the session matches
	ReasonRate                         // beyond the maximum bit rate of a QER
	ReasonQuota                        // a URR's quota is used up
	ReasonBuffered                     // held until the FAR says otherwise
	ReasonUnroutable                   // an address that is not routed: of one link, loopback, multicast, reserved
	ReasonECN                          // congestion on the way of a packet whose ends do not know ECN
	reasonCount
)

// Reasons lists all of them in order.
func Reasons() []Reason {
	all := make([]Reason, reasonCount)
	for i := range all {
		all[i] = Reason(i)
	}
	return all
}

// String gives the short name used in logs, counters and reports.
func (r Reason) String() string {
	if int(r) < len(reasonNames) {
		return reasonNames[r]
	}
	return "unknown"
}

var reasonNames = [reasonCount]string{
	"malformed outer header", "malformed GTP-U", "malformed inner packet", "unknown TEID",
	"unknown UE address", "inner source is not the UE", "QFI mismatch", "FAR drop", "gate closed",
	"no route", "too big", "TTL expired", "no headroom", "unsupported GTP-U message",
	"UE packet to the UPF itself", "GTP-U in GTP-U", "IP without a tunnel", "UE packet not towards N6",
	"PFCP not from N4", "too much GTP-U signalling", "no PDR matches", "over the maximum bit rate",
	"quota used up", "buffered", "address not to be routed",
	"congestion without ECN",
}
