// Package change makes the new rules of a session of what a request asks, and claims the TEIDs and UE addresses for
// them, which are kept or given back together with the rules.
package change

import (
	"fmt"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/n4/keys"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// Maker makes the rules of a session of what requests ask, and of what is configured.
type Maker struct {
	TEIDs      *keys.TEIDs
	Addresses  *keys.Addresses
	Predefined map[string]Predefined
	N3, N36    netip.Addr
	// Offers are the actions that FARs may have.
	Offers session.Action
	// DropInstead makes FARs that buffer drop, where packets are not held; nil: they are refused.
	DropInstead func(*session.Rules)
}

// Begin begins a request about the session with the SEID, which was given the UE addresses here.
func (m *Maker) Begin(seid uint64, given [2]netip.Prefix) *Claims {
	return &Claims{
		TEIDs: m.TEIDs, SEID: seid, N3: m.N3, n36: m.N36,
		Lease: Lease{Addresses: m.Addresses, seid: seid, Given: given},
	}
}

// Make makes the changes on the rules, which are the caller's own copy, and refuses those that no datapath of the kind
// could carry out. The applications are the CP function's, from PFD management; most is how many rules of each kind a
// session may have. On an error the rules are of no use.
func (m *Maker) Make(old, rules *session.Rules, c *request.Changes, t *Claims, applications map[string][]session.Filter, most int) error {
	if err := Apply(c, rules, t); err != nil {
		return err
	}
	if err := checkURRs(c, rules); err != nil {
		return err
	}
	if err := detect(rules, c, applications); err != nil {
		return err
	}
	if err := predefine(m.Predefined, old, rules, c); err != nil {
		return err
	}
	lendUE(rules)
	if err := checkNumbers(rules, most); err != nil {
		return err
	}
	if m.DropInstead != nil {
		m.DropInstead(rules)
	}
	if err := rules.Validate(m.Offers); err != nil {
		return err
	}
	if err := usage.CheckQuotaActions(rules, m.Offers); err != nil {
		return err
	}
	if err := checkCopies(rules, m.N36); err != nil {
		return err
	}
	return checkReferences(c, rules)
}

// lendUE gives PDRs for packets from the core that name no UE the addresses of the session's UE, of either family. In a
// PDI the UE IP Address is optional (TS 29.244 table 7.5.2.2-2): such a PDR matches whatever of the session's packets its
// other fields do.
func lendUE(r *session.Rules) {
	var ue session.PDI
	for i := range r.PDRs {
		p := &r.PDRs[i].PDI
		if p.Borrowed {
			p.UE, p.UE6, p.Framed, p.Borrowed = netip.Addr{}, netip.Prefix{}, nil, false
		}
		if p.Source == session.Core && !p.HasTEID {
			add(&ue, p)
		}
	}
	for i := range r.PDRs {
		if p := &r.PDRs[i].PDI; ue.HasUE() && p.Source == session.Core && !p.HasTEID && !p.HasUE() {
			p.UE, p.UE6, p.Framed, p.Borrowed = ue.UE, ue.UE6, slices.Clone(ue.Framed), true
		}
	}
}

// add gives the addresses of a UE those that a PDI names: the first of each family, and all networks.
func add(ue, p *session.PDI) {
	if !ue.UE.IsValid() {
		ue.UE = p.UE
	}
	if !ue.UE6.IsValid() {
		ue.UE6 = p.UE6
	}
	for _, network := range p.Framed {
		if !slices.Contains(ue.Framed, network) {
			ue.Framed = append(ue.Framed, network)
		}
	}
}

// maxReferences is how many QERs, and how many URRs, a PDR may name.
const maxReferences = 16

// checkNumbers refuses rules that one session may not have so many of.
func checkNumbers(r *session.Rules, most int) error {
	for _, c := range []struct {
		what string
		n    int
	}{{"PDRs", len(r.PDRs)}, {"FARs", len(r.FARs)}, {"QERs", len(r.QERs)}, {"URRs", len(r.URRs)},
		{"BARs", len(r.BARs)}, {"traffic endpoints", len(r.Endpoints)}} {
		if c.n > most {
			return request.NoResources(fmt.Sprintf("the session would have %d %s, limits.rules is %d", c.n, c.what, most))
		}
	}
	for i := range r.PDRs {
		if p := &r.PDRs[i]; len(p.QERs) > maxReferences || len(p.URRs) > maxReferences {
			return request.RuleError(session.KindPDR, uint32(p.ID), "it names more than %d QERs or URRs", maxReferences)
		}
	}
	return nil
}

// checkReferences wants the URRs that are queried, and the BARs of FARs.
func checkReferences(c *request.Changes, r *session.Rules) error {
	for i := range r.FARs {
		if f := &r.FARs[i]; f.BAR != 0 && r.FindBAR(f.BAR) == nil {
			return request.RuleError(session.KindFAR, f.ID, "its BAR %d is not in the session", f.BAR)
		}
	}
	for _, id := range c.QueryURR {
		if r.FindURR(id) == nil {
			return unknown(session.KindURR, id)
		}
	}
	return nil
}

// detect gives PDRs the filters of the applications that they name. Those that the
// request brings need applications that are there.
func detect(rules *session.Rules, c *request.Changes, applications map[string][]session.Filter) error {
	for i := range rules.PDRs {
		p := &rules.PDRs[i]
		if p.PDI.Application == "" {
			continue
		}
		filters, known := applications[p.PDI.Application]
		if !known && c.BringsPDI(p.ID) {
			return request.RuleError(session.KindPDR, uint32(p.ID), "application %q has no PFDs: send them by PFD Management first", p.PDI.Application)
		}
		p.PDI.Filters = slices.Clone(filters)
	}
	return nil
}
