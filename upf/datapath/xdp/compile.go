package xdp

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// ends are the UPF's ends of tunnels, but for that over IPv4 on N3.
type ends struct {
	outer6 bool // it has one over IPv6 there
	n6     datapath.N6Tunnels
}

// check says why an outer header cannot be created.
func (t ends) check(o *session.OuterHeader) error {
	switch {
	case o == nil:
		return nil
	case o.Kind.OnN6():
		return t.n6.Check(o.Kind)
	case !o.Peer.Is4() && !t.outer6:
		return fmt.Errorf("the tunnel's end %v is an IPv6 address, and the UPF has none on N3: set n3.address6", o.Peer)
	}
	return nil
}

// entry is what becomes of the packets with a key; a record is what is kept of it.
type entry struct {
	seid  uint64
	rule  ruleWord
	peer  peerNumber // where the packets of a plain rule go; 0: into no tunnel
	chain *chain     // nil where the rule says it all
	key   key
	from  session.Interface
	pdr   uint16
}

// isChain reports whether the key has a chain of rows.
func (e *entry) isChain() bool { return e.rule.verdict() == verdictChain }

// compiled is an entry, without where in the tables its gNBs and its rows are, and its rows.
type compiled struct {
	*entry
	rows []plan.Row
}

// compile turns a session's rules into map entries, or says which rule the
// datapath cannot carry out (a *session.RuleError).
func compile(r *session.Rules, t ends) ([]compiled, error) {
	if err := r.Validate(session.All); err != nil {
		return nil, err
	}
	for i := range r.FARs {
		if err := t.check(r.FARs[i].Outer); err != nil {
			return nil, &session.RuleError{Kind: session.KindFAR, ID: r.FARs[i].ID, Reason: err.Error()}
		}
	}
	for i := range r.PDRs {
		if err := t.n6.Check(r.PDRs[i].Removal); err != nil {
			return nil, &session.RuleError{Kind: session.KindPDR, ID: uint32(r.PDRs[i].ID), Reason: err.Error()}
		}
	}
	chains, err := plan.Of(r)
	if err != nil {
		return nil, err
	}
	entries := make([]compiled, 0, len(chains))
	for i := range chains {
		if err := cmp.Or(refuseExit(&chains[i]), checkRows(&chains[i])); err != nil {
			return nil, err
		}
		entries = append(entries, compiled{entryOf(r.SEID, &chains[i]), chains[i].Rows})
	}
	return entries, nil
}

// refuseExit refuses packets that come from the core by a tunnel and leave by N6: the
// programs would count them as uplink.
func refuseExit(c *plan.Chain) error {
	leaves := func(r plan.Row) bool { return !r.Relays() && !r.Dropped }
	if c.Key.IsTunnel() && c.Key.Source == session.Core && slices.ContainsFunc(c.Rows, leaves) {
		return &session.RuleError{Kind: session.KindPDR, ID: uint32(c.PDR),
			Reason: "datapath.kind xdp forwards packets that come from core by a tunnel into tunnels only: make " +
				"its Source Interface access, or set datapath.kind to afpacket, tun or tap"}
	}
	return nil
}

// checkRows refuses rows with more meters or usages than there is room for.
func checkRows(c *plan.Chain) error {
	for i := range c.Rows {
		r := &c.Rows[i]
		if len(r.Meters) > maxMeters {
			return &session.RuleError{Kind: session.KindPDR, ID: uint32(r.PDR),
				Reason: fmt.Sprintf("it names %d QERs with an MBR: this datapath takes %d", len(r.Meters), maxMeters)}
		}
		if len(r.URRs) > maxUsages {
			return &session.RuleError{Kind: session.KindPDR, ID: uint32(r.PDR),
				Reason: fmt.Sprintf("it names %d URRs: this datapath takes %d", len(r.URRs), maxUsages)}
		}
	}
	return nil
}
