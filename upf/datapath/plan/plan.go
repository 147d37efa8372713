package plan

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Key is what a packet is looked up by: its family with the TEID of one that comes by a
// tunnel, or with the UE's address of one that comes without. A packet belongs to the longest
// prefix that has its address.
type Key struct {
	Source session.Interface
	IPv6   bool
	TEID   uint32       // 0: without a tunnel
	UE     netip.Prefix // IPv4: one address, or a network behind the UE
}

// IsFramed reports whether the key is of an IPv4 network behind a UE.
func (k Key) IsFramed() bool { return k.UE.IsValid() && !k.IPv6 && !k.UE.IsSingleIP() }

// IsTunnel reports whether the key is of packets that come by a tunnel: from a gNB, or
// from another UPF (N9).
func (k Key) IsTunnel() bool { return k.TEID != 0 }

// String names the key.
func (k Key) String() string {
	if k.IsTunnel() {
		return fmt.Sprintf("TEID %#x", k.TEID)
	}
	if k.UE.IsSingleIP() {
		return fmt.Sprintf("UE address %v", k.UE.Addr())
	}
	return fmt.Sprintf("UE prefix %v", k.UE)
}

// Chain is a key and the rows of the session's PDRs that have it, by precedence.
type Chain struct {
	Key  Key
	PDR  uint16 // the first of the rules with the key
	Rows []Row
}

// Plain reports whether the chain is one row that asks for nothing but the UE's
// address and a QFI, and neither limits, counts, marks nor copies what it forwards.
func (c *Chain) Plain() bool {
	if len(c.Rows) != 1 { // nor those of quota actions
		return false
	}
	r := &c.Rows[0]
	return r.plainMatch() && !r.Held && !r.Copied && !r.Exits() && r.Marking == 0 && r.PPI == 0 && len(r.Meters)+len(r.URRs) == 0
}

// MaxRows is how many rows a key may have: PDRs, each times its filters, times their
// ranges of ports.
const MaxRows = 1024

// Of gives the chains of a session's rules, which are valid. The error is a
// *session.RuleError.
func Of(r *session.Rules) ([]Chain, error) {
	chains, pdrs := make([]Chain, 0, 2), byPrecedence(r.PDRs)
	for _, p := range pdrs {
		keys, err := KeysOf(p)
		if err != nil {
			return nil, err
		}
		for _, k := range keys {
			if !slices.ContainsFunc(chains, func(c Chain) bool { return c.Key == k }) {
				chains = append(chains, Chain{Key: k, PDR: p.ID})
			}
		}
	}
	for i := range chains {
		if err := chains[i].fill(r, pdrs); err != nil {
			return nil, err
		}
	}
	return chains, nil
}

// fill makes the rows of a key, of all PDRs that its packets can match.
func (c *Chain) fill(r *session.Rules, pdrs []*session.PDR) error {
	var made []int // the number of rows after each PDR's
	for _, p := range pdrs {
		if !c.Key.reaches(&p.PDI) {
			made = append(made, len(c.Rows))
			continue
		}
		if c.Rows = appendRows(c.Rows, r, p, c.Key.IPv6); len(c.Rows) > MaxRows {
			return refuse(p, "its filters make over %d combinations with those of the session's other PDRs: use ranges of ports", MaxRows)
		}
		made = append(made, len(c.Rows))
	}
	first := 0
	for i, p := range pdrs {
		if first < made[i] {
			var instead []int
			c.Rows, instead = appendInstead(c.Rows, r, p)
			for ; first < made[i]; first++ {
				c.Rows[first].Instead = instead
			}
		}
	}
	if c.Key.IsTunnel() && !slices.ContainsFunc(pdrs, func(p *session.PDR) bool { return c.Key.reaches(&p.PDI) }) {
		c.Rows = []Row{{PDR: c.PDR, Action: Action{Dropped: true, Reason: datapath.ReasonSourceMismatch}}}
	}
	return nil
}

// reaches reports whether packets with the key can have the PDI's interface, TEID and UE
// address.
func (k Key) reaches(p *session.PDI) bool {
	switch {
	case p.Source != k.Source:
		return false
	case k.IsTunnel():
		return p.HasTEID && p.TEID == k.TEID && hasFamily(p, k.IPv6)
	case p.HasTEID:
		return false
	}
	var room [2]netip.Prefix
	return slices.ContainsFunc(p.Networks(room[:0], k.IPv6),
		func(n netip.Prefix) bool { return n.Bits() <= k.UE.Bits() && n.Contains(k.UE.Addr()) })
}

// hasFamily reports whether packets of a family can be those of the PDI's UE.
func hasFamily(p *session.PDI, ipv6 bool) bool {
	if !p.HasUE() {
		return true
	}
	var room [2]netip.Prefix
	return len(p.Networks(room[:0], ipv6)) > 0
}

// byPrecedence lists PDRs, the lowest value first (TS 29.244 clause 8.2.11), in the
// order of the session where it is the same.
func byPrecedence(pdrs []session.PDR) []*session.PDR {
	list := make([]*session.PDR, len(pdrs))
	for i := range pdrs {
		list[i] = &pdrs[i]
	}
	slices.SortStableFunc(list, func(a, b *session.PDR) int { return cmp.Compare(a.Precedence, b.Precedence) })
	return list
}

// KeysOf are the keys of a PDR's packets. A TEID's IPv4 packets always have one, which
// is how the TEID is known.
func KeysOf(p *session.PDR) (keys []Key, err error) {
	if !p.PDI.HasTEID {
		var room [2]netip.Prefix
		for _, ipv6 := range [...]bool{false, true} {
			for _, n := range p.PDI.Networks(room[:0], ipv6) {
				keys = append(keys, Key{Source: session.Core, IPv6: ipv6, UE: n})
			}
		}
		return keys, nil
	}
	if p.PDI.TEID == 0 {
		return nil, refuse(p, "TEID 0 is for signalling: give 1 or above")
	}
	keys = append(keys, Key{Source: p.PDI.Source, TEID: p.PDI.TEID})
	if hasFamily(&p.PDI, true) {
		keys = append(keys, Key{Source: p.PDI.Source, IPv6: true, TEID: p.PDI.TEID})
	}
	return keys, nil
}

func refuse(p *session.PDR, format string, args ...any) error {
	return &session.RuleError{Kind: session.KindPDR, ID: uint32(p.ID), Reason: fmt.Sprintf(format, args...)}
}
