package seeded

import (
	"encoding/binary"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/internal/proto/checksum"
	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/session"
)

// Faults are those that cases are held against.
func Faults() []Fault {
	return slices.Concat(detection(), actions(), qos(), counting(), packets(), outer(), quiet(), control(), routing(), moving(), steady(), framed(), reporting(), timed(), misnamed(), forms())
}

// pdrs makes a change of each PDR.
func pdrs(f func(*session.PDR)) func(_, r *session.Rules) {
	return func(_, r *session.Rules) {
		for i := range r.PDRs {
			f(&r.PDRs[i])
		}
	}
}

// filters makes a change of each SDF filter.
func filters(f func(*session.Filter)) func(_, r *session.Rules) {
	return pdrs(func(p *session.PDR) {
		for i := range p.PDI.Filters {
			f(&p.PDI.Filters[i])
		}
	})
}

func detection() []Fault {
	both := func(id string) []string {
		return []string{"pdr.sdf." + id + ".uplink", "pdr.sdf." + id + ".downlink", "pdr.sdf.all-components.uplink",
			"pdr.sdf.all-components.downlink"}
	}
	return []Fault{
		{Name: "the source address is not checked", Row: "pdr.source-address", Also: []string{"pdr.source-address.other-ue"},
			Rules: pdrs(func(p *session.PDR) {
				if p.PDI.Source == session.Access {
					p.PDI.UE = netip.Addr{}
				}
			})},
		{Name: "precedence is inverted", Row: "pdr.precedence",
			Also: []string{"pdr.precedence.order", "pdr.precedence.update", "pdr.many.8", "pdr.many.32",
				"qer.qfi.flows", "qer.mbr.shared", "session.modify.create", "session.modify.remove-filtered"},
			Rules: pdrs(func(p *session.PDR) { p.Precedence = 1<<30 - p.Precedence })},
		{Name: "an updated precedence is ignored", Row: "pdr.precedence.update",
			Rules: func(old, r *session.Rules) {
				for i := range r.PDRs {
					if old != nil && old.FindPDR(r.PDRs[i].ID) != nil {
						r.PDRs[i].Precedence = old.FindPDR(r.PDRs[i].ID).Precedence
					}
				}
			}},
		{Name: "the QFI of a PDR is ignored", Row: "pdr.qfi", Also: []string{"pdr.qfi.several"},
			Rules: pdrs(func(p *session.PDR) { p.PDI.QFIs = 0 })},
		{Name: "the other end's port is ignored", Row: "pdr.sdf.remote-port.uplink",
			Also: append(both("remote-port"), "pdr.sdf.remote-port.range.uplink", "pdr.sdf.remote-port.range.downlink",
				"pdr.sdf.remote-port.list.uplink", "pdr.sdf.remote-port.list.downlink", "pdr.sdf.several.uplink",
				"pdr.sdf.several.downlink"), Rules: filters(func(f *session.Filter) { f.RemotePorts = nil })},
		{Name: "the UE's port is ignored", Row: "pdr.sdf.local-port.downlink", Also: both("local-port"),
			Rules: filters(func(f *session.Filter) { f.LocalPorts = nil })},
		{Name: "the protocol is ignored", Row: "pdr.sdf.protocol.uplink", Also: both("protocol"),
			Rules: filters(func(f *session.Filter) { f.Protocol, f.HasProtocol = 0, false })},
		{Name: "of several filters the first alone counts", Row: "pdr.sdf.several.uplink", Also: []string{"pdr.sdf.several.downlink"},
			Rules: pdrs(func(p *session.PDR) { p.PDI.Filters = p.PDI.Filters[:min(1, len(p.PDI.Filters))] })},
		{Name: "the type of service of a filter is ignored", Row: "pdr.sdf.tos.uplink",
			Also: []string{"pdr.sdf.tos.downlink"}, Rules: filters(func(f *session.Filter) { f.TOS, f.TOSMask = 0, 0 })},
	}
}

func actions() []Fault {
	return []Fault{
		{Name: "an entry of each session stays in a table", Row: "leak.delete",
			Also: []string{"leak.modify", "leak.release", "leak.restart", "leak.refused"}, Gathers: true},
		{Name: "a removed PDR still forwards", Row: "session.modify.remove-pdr",
			Also: []string{"session.modify.remove-pdr.uplink", "session.modify.remove-filtered"}, Rules: keepRemoved},
		{Name: "a deleted session still forwards", Row: "session.delete",
			Also: []string{"session.delete.again", "n4.recovery.newer", "n4.association.again",
				"n4.association.release", "session.bystander", "urr.volume.downlink"}, Keep: true},
		{Name: "a path switch is ignored", Row: "far.path-switch", Also: []string{"far.end-marker", "far.end-marker.not-asked"},
			Rules: func(old, r *session.Rules) {
				for i := range r.FARs {
					if old != nil && old.FindFAR(r.FARs[i].ID) != nil && old.FindFAR(r.FARs[i].ID).Outer != nil {
						r.FARs[i].Outer = old.FindFAR(r.FARs[i].ID).Outer
					}
				}
			}},
		{Name: "two End Markers", Row: "far.end-marker", EndMarkers: func(int) int { return 2 }},
		{Name: "the End Marker comes before the last packet", Row: "far.end-marker.last", Linger: true},
		{Name: "no End Marker", Row: "far.end-marker", Also: []string{"far.end-marker.last"}, EndMarkers: func(int) int { return 0 }},
		{Name: "DROP forwards", Row: "far.drop.uplink", Rules: func(_, r *session.Rules) {
			for i := range r.FARs {
				if r.FARs[i].ID == 1 && r.FARs[i].Action == session.Drop {
					r.FARs[i].Action, r.FARs[i].Destination = session.Forward, session.Core
				}
			}
		}},
		{Name: "packets leave plain in place of in a tunnel on N6", Row: "far.outer.udp-ipv4", Rules: func(_, r *session.Rules) {
			for i := range r.FARs {
				if o := r.FARs[i].Outer; o != nil && o.Kind.OnN6() {
					r.FARs[i].Outer = nil
				}
			}
		}},
		{Name: "a tunnel on N6 is not asked for", Row: "pdr.outer.ipv6", Rules: pdrs(func(p *session.PDR) {
			if p.Removal.OnN6() {
				p.RemoveOuterHeader, p.Removal = false, session.GTPU
			}
		})},
		{Name: "a session in 1000 has another's TEID", Row: "session.many", Rules: swapOne()},
	}
}

// keepRemoved puts PDRs back that are no more, with what they name.
func keepRemoved(old, r *session.Rules) {
	if old == nil {
		return
	}
	for _, p := range old.PDRs {
		if r.FindPDR(p.ID) == nil {
			r.PDRs = append(r.PDRs, p)
			if r.FindFAR(p.FAR) == nil {
				r.FARs = append(r.FARs, *old.FindFAR(p.FAR))
			}
		}
	}
}

// swapOne gives one session the tunnel of the one before it.
func swapOne() func(old, r *session.Rules) {
	n := 0
	return func(old, r *session.Rules) {
		if old != nil {
			return
		}
		if n++; n%900 != 0 {
			return
		}
		for i := range r.FARs {
			if o := r.FARs[i].Outer; o != nil {
				r.FARs[i].Outer = &session.OuterHeader{TEID: o.TEID - 1, Peer: o.Peer}
			}
		}
	}
}

func qos() []Fault {
	each := func(f func(*session.QER)) func(_, r *session.Rules) {
		return func(_, r *session.Rules) {
			for i := range r.QERs {
				f(&r.QERs[i])
			}
		}
	}
	gates := []string{"qer.gate.both", "qer.gate.update"}
	mbr := []string{"qer.mbr.uplink", "qer.mbr.downlink", "qer.mbr.update", "qer.mbr.shared", "qer.mbr.session-and-flow", "qer.gbr"}
	return []Fault{
		{Name: "a QER that is created later is ignored", Row: "session.modify.create-qer", Rules: func(old, r *session.Rules) {
			for i := range r.PDRs {
				if old != nil {
					r.PDRs[i].QERs = slices.DeleteFunc(r.PDRs[i].QERs, func(id uint32) bool {
						return !slices.ContainsFunc(old.QERs, func(q session.QER) bool { return q.ID == id })
					})
				}
			}
		}},
		{Name: "the uplink gate is ignored", Row: "qer.gate.uplink",
			Also:  append(gates, "qer.gate.any-of-several", "urr.dropped"),
			Rules: each(func(q *session.QER) { q.GateUL = true })},
		{Name: "the downlink gate is ignored", Row: "qer.gate.downlink", Also: gates, Rules: each(func(q *session.QER) { q.GateDL = true })},
		{Name: "of a PDR's QERs the first alone counts", Row: "qer.gate.any-of-several",
			Also:  []string{"qer.mbr.session-and-flow"},
			Rules: pdrs(func(p *session.PDR) { p.QERs = p.QERs[:min(1, len(p.QERs))] })},
		{Name: "the QFI is wrong", Row: "qer.qfi", Also: []string{"qer.qfi.update", "qer.qfi.flows", "qer.rqi", "qer.ppi"},
			Rules: each(func(q *session.QER) {
				if q.QFI != 0 {
					q.QFI = q.QFI%62 + 1
				}
			})},
		{Name: "the reflective QoS indicator is ignored", Row: "qer.rqi", Rules: each(func(q *session.QER) { q.RQI = false })},
		{Name: "the Paging Policy Indicator is ignored", Row: "qer.ppi", Rules: each(func(q *session.QER) { q.PPI = 0 })},
		{Name: "the maximum bit rate is 35 % low", Row: "qer.mbr.uplink", Also: mbr,
			Rules: each(func(q *session.QER) { q.MBRUL, q.MBRDL = q.MBRUL*65/100, q.MBRDL*65/100 })},
		{Name: "the maximum bit rate is 12 % high", Row: "qer.mbr.downlink", Also: mbr,
			Rules: each(func(q *session.QER) { q.MBRUL, q.MBRDL = q.MBRUL*112/100, q.MBRDL*112/100 })},
		{Name: "the maximum bit rate is ignored", Row: "qer.mbr.downlink", Also: mbr,
			Rules: each(func(q *session.QER) { q.MBRUL, q.MBRDL = 0, 0 })},
	}
}

func counting() []Fault {
	all := []string{"urr.volume.uplink", "urr.volume.downlink", "urr.packets", "urr.several", "urr.remove", "urr.query", "urr.dropped",
		"urr.threshold.volume", "urr.threshold.direction", "urr.periodic", "urr.quota.volume", "urr.quota.renewed", "urr.start"}
	return []Fault{
		{Name: "a URR that is created later counts nothing", Row: "session.modify.create-urr", Rules: func(old, r *session.Rules) {
			for i := range r.PDRs {
				if old != nil {
					r.PDRs[i].URRs = slices.DeleteFunc(r.PDRs[i].URRs, func(id uint32) bool { return old.FindURR(id) == nil })
				}
			}
		}},
		{Name: "an updated threshold is ignored", Row: "session.modify.update-urr", Rules: func(old, r *session.Rules) {
			for i := range r.URRs {
				if old != nil && old.FindURR(r.URRs[i].ID) != nil {
					r.URRs[i] = *old.FindURR(r.URRs[i].ID)
				}
			}
		}},
		{Name: "uplink and downlink usage are swapped", Row: "urr.volume.uplink", Also: append(all, "urr.volume"),
			Usage: func(u session.Usage) session.Usage { u.Uplink, u.Downlink = u.Downlink, u.Uplink; return u }},
		{Name: "1 % is not counted", Row: "urr.volume", Also: all, Usage: func(u session.Usage) session.Usage {
			u.Uplink.Octets -= u.Uplink.Octets / 100
			u.Downlink.Octets -= u.Downlink.Octets / 100
			return u
		}},
		{Name: "nothing is counted", Row: "urr.volume", Also: append(all, "urr.final"),
			Usage: func(u session.Usage) session.Usage { return session.Usage{First: u.First} }},
		{Name: "tunnel headers are counted", Row: "urr.volume", Also: all, Usage: func(u session.Usage) session.Usage {
			u.Uplink.Octets += 36 * u.Uplink.Packets
			u.Downlink.Octets += 36 * u.Downlink.Packets
			return u
		}},
	}
}

func packets() []Fault {
	exact := []string{"ip.exact.downlink", "session.many", "session.bystander", "urr.volume"}
	return []Fault{
		{Name: "0.1 % of the packets are duplicated", Row: "ip.exact.uplink", Also: exact, Leaving: func(n int, _ bool, ip []byte) [][]byte {
			if n%1000 == 999 {
				return [][]byte{ip, ip}
			}
			return [][]byte{ip}
		}},
		{Name: "0.1 % of the packets are lost", Row: "ip.exact.uplink", Also: exact,
			Arriving: func(n int, _ bool, _ []byte) bool { return n%1000 != 999 }},
		{Name: "a packet in 1000 is damaged", Row: "ip.exact.uplink", Also: exact, Leaving: func(n int, _ bool, ip []byte) [][]byte {
			if n%1000 == 999 {
				ip[len(ip)-1] ^= 1
			}
			return [][]byte{ip}
		}},
		{Name: "the TTL is not lowered", Row: "ip.ttl", Leaving: func(_ int, uplink bool, ip []byte) [][]byte {
			if uplink {
				ip[8]++
				checksum.SealIPv4(ip)
			}
			return [][]byte{ip}
		}},
		{Name: "G-PDUs with a sequence number are lost", Row: "gtpu.sequence", Also: []string{"gtpu.sequence.no-container"},
			Arriving: func(_ int, uplink bool, ip []byte) bool { return !uplink || ip[29] != byte(gtpu.GPDU) || ip[28]&2 == 0 }},
		{Name: "later fragments are lost", Row: "ip.fragment.later", Arriving: func(_ int, uplink bool, ip []byte) bool {
			return uplink || binary.BigEndian.Uint16(ip[6:])&0x1fff == 0
		}},
		{Name: "downlink ESP is lost", Row: "ip.protocol.esp", Also: []string{"pdr.sdf.spi.downlink"},
			Arriving: func(_ int, uplink bool, ip []byte) bool { return uplink || ip[9] != 50 }},
		{Name: "the UE's type of service is cleared", Row: "ip.dscp", Also: []string{"pdr.sdf.tos.uplink"},
			Leaving: func(_ int, uplink bool, ip []byte) [][]byte {
				if uplink && ip[1] != 0 {
					ip[1] = 0
					checksum.SealIPv4(ip)
				}
				return [][]byte{ip}
			}},
		{Name: "GTP' is taken for GTP", Row: "scas.malformed.prime", Also: []string{"scas.malformed.n9"},
			Arriving: func(_ int, _ bool, ip []byte) bool {
				if ip[9] == 17 && binary.BigEndian.Uint16(ip[22:]) == gtpu.Port {
					ip[28] |= 1 << 4
				}
				return true
			}},
		{Name: "GTP-U signalling is not answered", Row: "gtpu.echo",
			Also: []string{"gtpu.error-indication", "gtpu.error-indication.reported"}, Silent: true},
		{Name: "the outer source of G-PDUs has to be the session's gNB", Row: "gtpu.other-gnb",
			Arriving: func(_ int, uplink bool, ip []byte) bool {
				return !uplink || ip[29] != byte(gtpu.GPDU) || ip[15] != 2
			}},
	}
}
