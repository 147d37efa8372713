package interop

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// Values of Source and Destination Interface (TS 29.244 clauses 8.2.2 and 8.2.24).
const (
	access = 0
	core   = 1
	n6LAN  = 2
)

// route is what the rules do with packets of one direction.
type route struct {
	pdr, far uint64
	rule     *tree // the PDR; nil: none matches
	action   rules.Action
	tunnel   *rules.Tunnel // that a downlink packet goes into
	qfi      uint8         // of the QoS flow; 0: none is named
	open     bool          // no gate of the direction is closed
	packet   sample
}

// ways are the routes of a direction by their precedence, each with a packet that takes it. A route is left out where the
// specification, or what the lab knows, does not say what becomes of its packets. Where no PDR is of the direction, there is
// one route without a PDR.
func (s state) ways(up bool) (list []route) {
	ids := s.ofDirection(up)
	switch {
	case !s.gone && len(ids) == 0 && s.vague(up):
		return nil
	case s.gone || len(ids) == 0:
		return []route{{}}
	}
	for _, id := range ids {
		if p, ok := s.route(id, up); ok && s.alone(&p, ids, up) {
			list = append(list, p)
		}
	}
	return list
}

// ofDirection are the PDRs for plain packets of a direction, by their precedence.
func (s state) ofDirection(up bool) (ids []uint64) {
	for id, rule := range s.pdrs {
		pdi := rule.find(ie.PDI)
		from, tunnel := pdi.find(ie.SourceInterface), pdi.find(ie.FTEID)
		ue := pdi.find(ie.UEIPAddress)
		if from == nil || ue != nil && !s.isUE(ue) {
			continue
		}
		switch from.octet(0) & 15 {
		case access:
			if up && tunnel != nil {
				ids = append(ids, id)
			}
		case core, n6LAN:
			if !up && tunnel == nil && (ue != nil || s.namesUE()) {
				ids = append(ids, id)
			}
		}
	}
	slices.SortFunc(ids, func(a, b uint64) int { return cmp.Or(cmp.Compare(s.precedence(a), s.precedence(b)), cmp.Compare(a, b)) })
	return ids
}

func (s state) precedence(pdr uint64) uint64 { return s.pdrs[pdr].find(ie.Precedence).number() }

// vague reports whether a PDR of a direction has neither a tunnel nor a UE, so that nothing says which packets it is for.
func (s state) vague(up bool) bool {
	for _, rule := range s.pdrs {
		pdi := rule.find(ie.PDI)
		from := pdi.find(ie.SourceInterface)
		i := from.octet(0) & 15
		if from != nil && pdi.find(ie.FTEID) == nil && pdi.find(ie.UEIPAddress) == nil && (up && i == access || !up && (i == core || i == n6LAN)) {
			return true
		}
	}
	return false
}

// namesUE reports whether a PDR from the core names the UE. Those that do not match the session's packets as well: UE IP
// Address is optional in a PDI (TS 29.244 table 7.5.2.2-2).
func (s state) namesUE() bool {
	for _, rule := range s.pdrs {
		pdi := rule.find(ie.PDI)
		from := pdi.find(ie.SourceInterface)
		if i := from.octet(0) & 15; from != nil && (i == core || i == n6LAN) && pdi.find(ie.FTEID) == nil && s.isUE(pdi.find(ie.UEIPAddress)) {
			return true
		}
	}
	return false
}

// isUE reports whether a UE IP Address is that of the lab's UE.
func (s state) isUE(t *tree) bool {
	const v4 = 1 << 1
	return t.octet(0)&v4 != 0 && len(t.value) >= 5 && netip.AddrFrom4([4]byte(t.value[1:5])) == s.ends.ue
}

// reached reports whether the lab can send packets to the F-TEID of a PDR: the UPF chose it, or it is {teid} {n3}.
func (s state) reached(pdr uint64) bool {
	t := s.tunnels[pdr]
	return t.message > 0 || len(t.octets) > 1 && t.octets[1:] == s.ends.fteid
}

// of is the route of a PDR for downlink packets; one without a PDR: there is none.
func (s state) of(pdr uint64) route {
	for _, p := range s.down {
		if p.pdr == pdr {
			return p
		}
	}
	return route{}
}

// route is that of a PDR. It is not ok where no packet of ours is sure to match the PDR, or its rules leave open what becomes
// of packets.
func (s state) route(id uint64, up bool) (p route, ok bool) {
	p = route{pdr: id, rule: s.pdrs[id], open: true}
	p.far = p.rule.find(ie.FARID).number()
	far := s.fars[p.far]
	if far == nil || s.limited(p.rule, up) || up && !s.reached(id) {
		return p, false
	}
	p.action = rules.Action(far.find(ie.ApplyAction).octet(0))
	s.enforce(&p, up)
	if header := far.find(ie.ForwardingParameters, ie.OuterHeaderCreation); !up && header != nil && len(header.value) >= 10 {
		p.tunnel = &rules.Tunnel{TEID: binary.BigEndian.Uint32(header.value[2:]), Peer: netip.AddrFrom4([4]byte(header.value[6:10]))}
	}
	p.packet, ok = s.sample(id)
	p.packet.qfi, p.packet.tunnel = cmp.Or(p.qfi, b.DefaultQFI), s.tunnels[id]
	return p, ok
}

// enforce takes QFI and gate from the PDR and its QERs. An uplink packet has the QFI that the PDI asks for.
func (s state) enforce(p *route, up bool) {
	p.qfi = p.rule.find(ie.PDI, ie.QFI).octet(0)
	asked := up && p.qfi != 0
	for _, e := range p.rule.all(ie.QERID) {
		q := s.qers[e.number()]
		if n := q.find(ie.QFI).octet(0); n != 0 && !asked {
			p.qfi = n
		}
		gate := q.find(ie.GateStatus).octet(0)
		if up && gate>>2&3 != 0 || !up && gate&3 != 0 {
			p.open = false
		}
	}
}

// limited reports whether a PDR's QERs have a bit rate of 0, or its URRs a quota: then packets may stop at any time.
func (s state) limited(rule *tree, up bool) bool {
	for _, e := range rule.all(ie.QERID) {
		for _, typ := range []uint16{ie.MBR, ie.GBR} {
			if rate := s.qers[e.number()].find(typ); rate != nil && rateOf(rate.value, up) == 0 {
				return true
			}
		}
	}
	for _, e := range rule.all(ie.URRID) {
		for _, typ := range []uint16{ie.VolumeQuota, ie.TimeQuota, ie.EventQuota, ie.QuotaHoldingTime, ie.QuotaValidityTime} {
			if s.urrs[e.number()].find(typ) != nil {
				return true
			}
		}
	}
	return false
}

// rateOf is the rate of a direction in an MBR or GBR, kbit/s: 5 octets each (TS 29.244 clauses 8.2.8 and 8.2.9).
func rateOf(v []byte, up bool) uint64 {
	if len(v) < 10 {
		return 0
	}
	if !up {
		v = v[5:]
	}
	return (&tree{value: v[:5]}).number()
}

// alone reports whether the packet of a route takes that route: no PDR before it, and no other one of the same precedence
// with another effect, may match the packet. The specification does not say which of two of the same precedence wins.
func (s state) alone(p *route, ids []uint64, up bool) bool {
	mine := s.precedence(p.pdr)
	for _, id := range ids {
		its := s.precedence(id)
		if its > mine {
			break
		}
		if id == p.pdr || s.match(id, &p.packet, up) == never {
			continue
		}
		if its < mine || !s.same(p.rule, s.pdrs[id]) || id < p.pdr {
			return false
		}
	}
	return true
}

// same reports whether two PDRs do the same with a packet.
func (s state) same(a, b *tree) bool {
	for _, typ := range []uint16{ie.FARID, ie.QERID, ie.URRID, ie.OuterHeaderRemoval} {
		if !slices.EqualFunc(a.all(typ), b.all(typ), func(a, b *tree) bool { return slices.Equal(a.value, b.value) }) {
			return false
		}
	}
	return true
}

// forwards: packets of a direction arrive.
func (p *route) forwards(up bool) bool {
	return p.rule != nil && p.open && p.action&rules.Forward != 0 && (up || p.tunnel != nil && p.tunnel.TEID != 0 && !p.tunnel.Peer.IsUnspecified())
}

// unclear: downlink packets are forwarded, and no tunnel is named yet: the specification does not say what becomes of them.
func (p *route) unclear() bool {
	return p.rule != nil && p.open && p.action&rules.Forward != 0 && !p.forwards(false)
}

// holds: downlink packets wait in the UPF.
func (p *route) holds() bool { return p.rule != nil && p.open && p.action&rules.Buffer != 0 }

// String names the rules of a route: "PDR 2, FAR 2".
func (p *route) String() string {
	if p.rule == nil {
		return "no PDR matches"
	}
	return fmt.Sprintf("PDR %d, FAR %d", p.pdr, p.far)
}
