package plan

import (
	"cmp"
	"fmt"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/session"
)

// Key is what a packet is looked up by: the TEID of one from the access side, the UE's
// address of one from the core.
type Key struct {
	Source session.Interface
	TEID   uint32
	UE     netip.Addr
}

// String names the key.
func (k Key) String() string {
	if k.Source == session.Access {
		return fmt.Sprintf("TEID %#x", k.TEID)
	}
	return fmt.Sprintf("UE address %v", k.UE)
}

// Chain is a key and the rows of the session's PDRs that have it, by precedence.
type Chain struct {
	Key  Key
	PDR  uint16 // the first of the rules with the key
	Rows []Row
}

// Plain reports whether the chain is one row that asks for nothing but the UE's
// address and a QFI, and neither limits nor counts what it forwards.
func (c *Chain) Plain() bool {
	if len(c.Rows) != 1 {
		return false
	}
	r := &c.Rows[0]
	return r.plainMatch() && !r.Held && len(r.Meters)+len(r.URRs) == 0
}

// MaxRows is how many rows a key may have: PDRs, each times its filters, times their
// ranges of ports.
const MaxRows = 1024

// Of gives the chains of a session's rules, which are valid. The error is a
// *session.RuleError.
func Of(r *session.Rules) ([]Chain, error) {
	chains := make([]Chain, 0, 2)
	for _, p := range byPrecedence(r.PDRs) {
		k, err := KeyOf(p)
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(chains, func(c Chain) bool { return c.Key == k })
		if i < 0 {
			i = len(chains)
			chains = append(chains, Chain{Key: k, PDR: p.ID})
		}
		c := &chains[i]
		if c.Rows = append(c.Rows, rowsOf(r, p)...); len(c.Rows) > MaxRows {
			return nil, refuse(p, "its filters make over %d combinations with those of the session's other PDRs: use ranges of ports", MaxRows)
		}
	}
	return chains, nil
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

// KeyOf is the key of a PDR's packets.
func KeyOf(p *session.PDR) (Key, error) {
	if p.PDI.Source == session.Core {
		return Key{Source: session.Core, UE: p.PDI.UE}, nil
	}
	if p.PDI.TEID == 0 {
		return Key{}, refuse(p, "TEID 0 is for signalling: give 1 or above")
	}
	return Key{Source: session.Access, TEID: p.PDI.TEID}, nil
}

func refuse(p *session.PDR, format string, args ...any) error {
	return &session.RuleError{Kind: session.KindPDR, ID: uint32(p.ID), Reason: fmt.Sprintf(format, args...)}
}
