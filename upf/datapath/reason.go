package datapath

// Reason tells why a packet was dropped. The values are those of enum
// upf_drop in bpf/drop.h; a test holds the two together.
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
}
