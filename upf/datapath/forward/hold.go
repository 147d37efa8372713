package forward

import (
	"net/netip"

	"github.com/upflab/upflab/internal/proto/gtpu"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// OnHold implements datapath.Holder.
func (t *Table) OnHold(f func(datapath.Held)) { t.hold = f }

// handOn gives a packet, or a copy of one, to who holds it.
func (t *Table) handOn(r *row, h datapath.Held) {
	if t.hold != nil {
		h.SEID, h.PDR = r.seid, r.pdr
		t.hold(h)
	}
}

// OnNotice sets the callback for packets that a router has to answer.
func (t *Table) OnNotice(f func(datapath.Notice)) { t.notice = f }

// Resolver says by a session's rules where packets go that were held.
type Resolver struct {
	table *Table
	rules *session.Rules
}

// NewResolver makes one for rules that a datapath has taken.
func NewResolver(r *session.Rules) (*Resolver, error) {
	t := NewTable(1, []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)})
	t.outer6, t.n6 = true, datapath.N6Tunnels{Address: netip.IPv4Unspecified(), Address6: netip.IPv6Unspecified(), Port: 1}
	return &Resolver{t, r}, t.Apply([]datapath.Change{{New: r}})
}

// Resolve gives the tunnel of a packet from the core, by the TEID that it came with, 0
// where it came without a tunnel, and the URRs that count it; not ok when the rules do not
// forward it.
func (r *Resolver) Resolve(teid uint32, h datapath.Held) (to *Tunnel, urrs []session.URRKey, ok bool) {
	if len(h.TPDU) < ipBytes || isIPv6(h.TPDU) && len(h.TPDU) < ip6Bytes {
		return nil, nil, false
	}
	row, v := r.rowOf(teid, h)
	if v != Forward {
		return nil, nil, false
	}
	for _, u := range row.usages {
		urrs = append(urrs, u.key.urr)
	}
	if row.relays != nil {
		return row.relays.of(&gtpu.Header{Container: gtpu.Container{QFI: h.QFI, RQI: h.RQI}}), urrs, true
	}
	return row.tunnel, urrs, true
}

func (r *Resolver) rowOf(teid uint32, h datapath.Held) (*row, Verdict) {
	if teid == 0 {
		r.table.kernelRoutes = h.Routed
		_, row, v := r.table.encapsulate(h.TPDU, r.removal(h.PDR))
		return row, v
	}
	rules := r.table.uplink
	if isIPv6(h.TPDU) {
		rules = r.table.uplink6
	}
	of := rules[teid]
	if of == nil {
		return nil, Drop(datapath.ReasonUnknownTEID)
	}
	f := flowOf(h.TPDU, of.from)
	f.qfi, f.hasQFI = h.QFI, h.QFI != 0
	return of.pick(h.TPDU, &f)
}

// removal is the tunnel on N6 that the packets of a PDR come by; of PDR 0, those from the core
// without a TEID.
func (r *Resolver) removal(pdr uint16) session.Encapsulation {
	for i := range r.rules.PDRs {
		p := &r.rules.PDRs[i]
		if p.ID == pdr || pdr == 0 && p.PDI.Source == session.Core && !p.PDI.HasTEID {
			return p.Removal
		}
	}
	return session.GTPU
}
