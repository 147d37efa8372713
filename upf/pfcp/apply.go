package pfcp

import (
	"cmp"
	"slices"

	"github.com/upflab/upflab/upf/session"
)

// apply makes the changes on the rules, which are the caller's own copy.
// What is removed goes first, so that an ID can be used again in the same
// request. The error is a *session.RuleError; the rules are then of no use.
func apply(c *changes, r *session.Rules, t *tunnels) error {
	t.rules, t.creates = r, c.createsPDR
	for _, step := range []func(*changes, *session.Rules, *tunnels) error{removeRules, createRules, updateRules, redefine, resolve, watch} {
		if err := step(c, r, t); err != nil {
			return err
		}
	}
	return nil
}

func removeRules(c *changes, r *session.Rules, _ *tunnels) error {
	err := cmp.Or(
		without(&r.PDRs, c.removePDR, session.KindPDR, func(p session.PDR) uint16 { return p.ID }),
		without(&r.FARs, c.removeFAR, session.KindFAR, func(f session.FAR) uint32 { return f.ID }),
		without(&r.QERs, c.removeQER, session.KindQER, func(q session.QER) uint32 { return q.ID }),
		without(&r.BARs, c.removeBAR, session.KindBAR, func(b session.BAR) uint32 { return b.ID }),
		without(&r.URRs, c.removeURR, session.KindURR, func(u session.URR) uint32 { return u.ID }))
	if err == nil {
		err = removeEndpoints(c, r)
	}
	for i := range r.PDRs {
		p := &r.PDRs[i]
		p.URRs = slices.DeleteFunc(p.URRs, c.ends)
	}
	for i := range r.URRs {
		u := &r.URRs[i].Asked
		u.Linked = slices.DeleteFunc(slices.Clone(u.Linked), c.ends)
	}
	return err
}

// without removes rules by their IDs. The error names the first that is not there.
func without[R any, I uint16 | uint32](list *[]R, ids []I, kind session.Kind, idOf func(R) I) error {
	for _, id := range ids {
		before := len(*list)
		*list = slices.DeleteFunc(*list, func(r R) bool { return idOf(r) == id })
		if len(*list) == before {
			return unknown(kind, uint32(id))
		}
	}
	return nil
}

func createRules(c *changes, r *session.Rules, t *tunnels) error {
	r.QERs = slices.Grow(r.QERs, len(c.createQER))
	for i := range c.createQER {
		var q session.QER
		applyQER(&c.createQER[i], &q)
		r.QERs = append(r.QERs, q)
	}
	r.FARs = slices.Grow(r.FARs, len(c.createFAR))
	for i := range c.createFAR {
		var f session.FAR
		applyFAR(&c.createFAR[i], &f)
		r.FARs = append(r.FARs, f)
	}
	for i := range c.createBAR {
		var b session.BAR
		applyBAR(&c.createBAR[i], &b)
		if r.FindBAR(b.ID) != nil {
			return ruleError(session.KindBAR, b.ID, "the session has two BARs with this ID")
		}
		r.BARs = append(r.BARs, b)
	}
	for i := range c.createURR {
		u := session.URR{Generation: t.final.generation(c.createURR[i].id)}
		applyURR(&c.createURR[i], &u)
		r.URRs = append(r.URRs, u)
	}
	if err := createEndpoints(c, r, t); err != nil {
		return err
	}
	r.PDRs = slices.Grow(r.PDRs, len(c.createPDR))
	for i := range c.createPDR {
		var p session.PDR
		if err := applyPDR(&c.createPDR[i], &p, t); err != nil {
			return err
		}
		r.PDRs = append(r.PDRs, p)
	}
	return nil
}

func updateRules(c *changes, r *session.Rules, t *tunnels) error {
	for i := range c.updateQER {
		q := r.FindQER(c.updateQER[i].id)
		if q == nil {
			return unknown(session.KindQER, c.updateQER[i].id)
		}
		applyQER(&c.updateQER[i], q)
	}
	for i := range c.updateFAR {
		f := r.FindFAR(c.updateFAR[i].id)
		if f == nil {
			return unknown(session.KindFAR, c.updateFAR[i].id)
		}
		t.markEnd(&c.updateFAR[i], f)
		applyFAR(&c.updateFAR[i], f)
	}
	for i := range c.updateBAR {
		b := r.FindBAR(c.updateBAR[i].id)
		if b == nil {
			return unknown(session.KindBAR, c.updateBAR[i].id)
		}
		applyBAR(&c.updateBAR[i], b)
	}
	for i := range c.updateURR {
		u := r.FindURR(c.updateURR[i].id)
		if u == nil {
			return unknown(session.KindURR, c.updateURR[i].id)
		}
		applyURR(&c.updateURR[i], u)
	}
	if err := updateEndpoints(c, r, t); err != nil {
		return err
	}
	for i := range c.updatePDR {
		p := r.FindPDR(c.updatePDR[i].id)
		if p == nil {
			return unknown(session.KindPDR, uint32(c.updatePDR[i].id))
		}
		if err := applyPDR(&c.updatePDR[i], p, t); err != nil {
			return err
		}
	}
	return nil
}

func unknown(kind session.Kind, id uint32) error {
	return ruleError(kind, id, "the session has no such rule")
}

func applyFAR(a *farChange, to *session.FAR) {
	to.ID = a.id
	if a.action != nil {
		to.Action = *a.action
	}
	if a.bar != nil {
		to.BAR = *a.bar
	}
	if a.destination != nil {
		to.Destination = *a.destination
	}
	if a.removeOuter {
		to.Outer = nil
	}
	if a.outer != nil {
		to.Outer = a.outer
	}
	if a.marking != nil {
		to.Marking = *a.marking
	}
	if a.copies != nil {
		to.Copies = a.copies
	}
}

func applyPDR(p *pdrChange, to *session.PDR, t *tunnels) error {
	to.ID = p.id
	if p.precedence != nil {
		to.Precedence = *p.precedence
	}
	if p.removal != nil {
		to.RemoveOuterHeader, to.Removal = *p.removal, p.removes
	}
	if p.far != nil {
		to.FAR = *p.far
	}
	if p.qers != nil {
		to.QERs = p.qers
	}
	if p.urrs != nil {
		to.URRs = p.urrs
	}
	if p.pdi == nil {
		return nil
	}
	return t.place(p, to)
}
