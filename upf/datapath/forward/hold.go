package forward

import (
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// OnHold is datapath.Holder's.
func (t *Table) OnHold(f func(seid uint64, pdr uint16, tpdu []byte)) { t.hold = f }

// OnNotice is datapath.Noticer's.
func (t *Table) OnNotice(f func(datapath.Notice)) { t.notice = f }

// Count is datapath.Holder's.
func (t *Table) Count(seid uint64, urr uint32, c session.Count) {
	if u := t.usages[usageKey{seid, urr}]; u != nil {
		u.Downlink.Packets += c.Packets
		u.Downlink.Octets += c.Octets
	}
}

// Resolver says by a session's rules where packets go that were held.
type Resolver struct{ table *Table }

// NewResolver makes one for rules that a datapath has taken.
func NewResolver(r *session.Rules) (*Resolver, error) {
	t := NewTable(1, []netip.Prefix{netip.PrefixFrom(netip.IPv4Unspecified(), 0), netip.PrefixFrom(netip.IPv6Unspecified(), 0)})
	t.outer6 = true
	return &Resolver{t}, t.Apply([]datapath.Change{{New: r}})
}

// Resolve gives the tunnel of a downlink T-PDU and the URRs that count it; not ok when
// the rules do not forward it.
func (r *Resolver) Resolve(tpdu []byte) (to *Tunnel, urrs []uint32, ok bool) {
	if len(tpdu) < ipBytes || isIPv6(tpdu) && len(tpdu) < ip6Bytes {
		return nil, nil, false
	}
	_, row, v := r.table.encapsulate(tpdu)
	if v != Forward {
		return nil, nil, false
	}
	for _, u := range row.usages {
		urrs = append(urrs, u.key.urr)
	}
	return row.tunnel, urrs, true
}
