package pfcp

import (
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/session"
)

// maker makes the rules of a session of what requests ask, and of what is configured.
type maker struct {
	teids      *teids
	addresses  *addresses
	predefined map[string]Predefined
	n3, n36    netip.Addr
	// offers are the actions that FARs may have.
	offers session.Action
	// dropInstead makes FARs that buffer drop, where packets are not held; nil: they are refused.
	dropInstead func(*session.Rules)
}

// begin begins a request about the session with the SEID, which was given the UE addresses here.
func (m *maker) begin(seid uint64, given [2]netip.Prefix) *tunnels {
	return &tunnels{
		teids: m.teids, seid: seid, n3: m.n3, n36: m.n36,
		lease: lease{addresses: m.addresses, seid: seid, given: given},
	}
}

// make makes the changes on the rules, which are the caller's own copy, and refuses those that no datapath of the kind
// could carry out. The applications are the CP function's, from PFD management; most is how many rules of each kind a
// session may have. On an error the rules are of no use.
func (m *maker) make(old, rules *session.Rules, c *changes, t *tunnels, applications map[string][]session.Filter, most int) error {
	if err := apply(c, rules, t); err != nil {
		return err
	}
	if err := checkURRs(c, rules); err != nil {
		return err
	}
	if err := detect(rules, c, applications); err != nil {
		return err
	}
	if err := predefine(m.predefined, old, rules, c); err != nil {
		return err
	}
	if err := checkNumbers(rules, most); err != nil {
		return err
	}
	if m.dropInstead != nil {
		m.dropInstead(rules)
	}
	if err := rules.Validate(m.offers); err != nil {
		return err
	}
	if err := checkQuotaActions(rules, m.offers); err != nil {
		return err
	}
	if err := checkCopies(rules, m.n36); err != nil {
		return err
	}
	return checkReferences(c, rules)
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
			return noResources(fmt.Sprintf("the session would have %d %s, limits.rules is %d", c.n, c.what, most))
		}
	}
	for i := range r.PDRs {
		if p := &r.PDRs[i]; len(p.QERs) > maxReferences || len(p.URRs) > maxReferences {
			return ruleError(session.KindPDR, uint32(p.ID), "it names more than %d QERs or URRs", maxReferences)
		}
	}
	return nil
}

// checkReferences wants the URRs that are queried, and the BARs of FARs.
func checkReferences(c *changes, r *session.Rules) error {
	for i := range r.FARs {
		if f := &r.FARs[i]; f.BAR != 0 && r.FindBAR(f.BAR) == nil {
			return ruleError(session.KindFAR, f.ID, "its BAR %d is not in the session", f.BAR)
		}
	}
	for _, id := range c.queryURR {
		if r.FindURR(id) == nil {
			return unknown(session.KindURR, id)
		}
	}
	return nil
}
