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
	if int(r) < len(reasons) {
		return reasons[r].name
	}
	return "unknown"
}

// Look says what to look at, for the one who runs the UPF.
func (r Reason) Look() string { return reasons[r].look }

// reasons has a row for each; a test asks for it. The page of drop reasons is written from it.
var reasons = [reasonCount]struct{ name, look string }{
	ReasonMalformedOuter: {"malformed outer header", "the gNB, or damage on the link: tcpdump on N3"},
	ReasonMalformedGTP:   {"malformed GTP-U", "the gNB: tcpdump on N3"},
	ReasonMalformedInner: {"malformed inner packet", "the UE's packet: upflab upf capture"},
	ReasonUnknownTEID:    {"unknown TEID", "a gNB with tunnels of sessions that ended, or an SMF that gave it another TEID"},
	ReasonUnknownUE:      {"unknown UE address", "packets to UEs without a session; ue_pool"},
	ReasonSourceMismatch: {"inner source is not the UE", "a UE that uses an address that is not its own"},
	ReasonQFIMismatch:    {"QFI mismatch", "the QFIs of the session's PDRs: upflab upf session"},
	ReasonFARDrop:        {"FAR drop", "a FAR with DROP: upflab upf session"},
	ReasonGateClosed:     {"gate closed", "the gates of the session's QERs: upflab upf session"},
	ReasonNoRoute:        {"no route", "ip route get, ip neigh: the way to the data network or the gNB"},
	ReasonTooBig:         {"too big", "the MTUs of N3, N6 and the UEs"},
	ReasonTTL:            {"TTL expired", "a routing loop"},
	ReasonHeadroom:       {"no headroom", "the driver of N6: datapath.mode generic"},
	ReasonUnsupported:    {"unsupported GTP-U message", "a GTP-U message that a UPF does not take"},
	ReasonToUPF:          {"UE packet to the UPF itself", "UEs that try to reach this machine: allow.local"},
	ReasonNested:         {"GTP-U in GTP-U", "UEs that send GTP-U: allow.nested_gtp"},
	ReasonNoTunnel:       {"IP without a tunnel", "IP that is not a UE's: allow.plain"},
	ReasonEgress:         {"UE packet not towards N6", "a route that leaves by another interface than N6: ip route get; with xdp, allow.interfaces"},
	ReasonPFCP:           {"PFCP not from N4", "PFCP from where no SMF is: n4.interface"},
	ReasonFlood:          {"too much GTP-U signalling", "a source of much GTP-U signalling: tcpdump on N3"},
	ReasonNoPDR:          {"no PDR matches", "the SDF filters of the session's PDRs: upflab upf session"},
	ReasonRate:           {"over the maximum bit rate", "the MBR of the session's QERs: upflab upf session"},
	ReasonQuota:          {"quota used up", "a quota that the SMF has not renewed: upflab upf session"},
	ReasonBuffered:       {"buffered", "no loss: held until the SMF has the UE paged"},
	ReasonUnroutable:     {"address not to be routed", "no loss, where UEs look for neighbours and routers: no router answers them here"},
	ReasonECN:            {"congestion without ECN", "congestion between the gNB and the UPF: a UE that does not know ECN notices it by the loss"},
}
