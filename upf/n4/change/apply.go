package change

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// Apply makes the changes on the rules, which are the caller's own copy.
// What is removed goes first, so that an ID can be used again in the same
// request. The error is a *session.RuleError; the rules are then of no use.
func Apply(c *request.Changes, r *session.Rules, t *Claims) error {
	t.Rules, t.creates = r, c.CreatesPDR
	for _, step := range []func(*request.Changes, *session.Rules, *Claims) error{removeRules, createRules, updateRules, redefine, resolve, watch} {
		if err := step(c, r, t); err != nil {
			return err
		}
	}
	return nil
}

func removeRules(c *request.Changes, r *session.Rules, _ *Claims) error {
	err := cmp.Or(
		without(&r.PDRs, c.RemovePDR, session.KindPDR, func(p session.PDR) uint16 { return p.ID }),
		without(&r.FARs, c.RemoveFAR, session.KindFAR, func(f session.FAR) uint32 { return f.ID }),
		without(&r.QERs, c.RemoveQER, session.KindQER, func(q session.QER) uint32 { return q.ID }),
		without(&r.BARs, c.RemoveBAR, session.KindBAR, func(b session.BAR) uint32 { return b.ID }),
		without(&r.URRs, c.RemoveURR, session.KindURR, func(u session.URR) uint32 { return u.ID }))
	if err == nil {
		err = removeEndpoints(c, r)
	}
	for i := range r.PDRs {
		p := &r.PDRs[i]
		p.URRs = slices.DeleteFunc(p.URRs, c.Ends)
	}
	for i := range r.URRs {
		u := &r.URRs[i].Asked
		u.Linked = slices.DeleteFunc(slices.Clone(u.Linked), c.Ends)
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

func createRules(c *request.Changes, r *session.Rules, t *Claims) error {
	r.QERs = slices.Grow(r.QERs, len(c.CreateQER))
	for i := range c.CreateQER {
		var q session.QER
		applyQER(&c.CreateQER[i], &q)
		r.QERs = append(r.QERs, q)
	}
	r.FARs = slices.Grow(r.FARs, len(c.CreateFAR))
	for i := range c.CreateFAR {
		var f session.FAR
		applyFAR(&c.CreateFAR[i], &f)
		r.FARs = append(r.FARs, f)
	}
	for i := range c.CreateBAR {
		var b session.BAR
		ApplyBAR(&c.CreateBAR[i], &b)
		if r.FindBAR(b.ID) != nil {
			return request.RuleError(session.KindBAR, b.ID, "the session has two BARs with this ID")
		}
		r.BARs = append(r.BARs, b)
	}
	for i := range c.CreateURR {
		u := session.URR{Generation: t.Final.Generation(c.CreateURR[i].ID)}
		applyURR(&c.CreateURR[i], &u)
		r.URRs = append(r.URRs, u)
	}
	if err := createEndpoints(c, r, t); err != nil {
		return err
	}
	r.PDRs = slices.Grow(r.PDRs, len(c.CreatePDR))
	for i := range c.CreatePDR {
		var p session.PDR
		if err := applyPDR(&c.CreatePDR[i], &p, t); err != nil {
			return err
		}
		r.PDRs = append(r.PDRs, p)
	}
	return nil
}

func updateRules(c *request.Changes, r *session.Rules, t *Claims) error {
	for i := range c.UpdateQER {
		q := r.FindQER(c.UpdateQER[i].ID)
		if q == nil {
			return unknown(session.KindQER, c.UpdateQER[i].ID)
		}
		applyQER(&c.UpdateQER[i], q)
	}
	for i := range c.UpdateFAR {
		f := r.FindFAR(c.UpdateFAR[i].ID)
		if f == nil {
			return unknown(session.KindFAR, c.UpdateFAR[i].ID)
		}
		t.markEnd(&c.UpdateFAR[i], f)
		applyFAR(&c.UpdateFAR[i], f)
	}
	for i := range c.UpdateBAR {
		b := r.FindBAR(c.UpdateBAR[i].ID)
		if b == nil {
			return unknown(session.KindBAR, c.UpdateBAR[i].ID)
		}
		ApplyBAR(&c.UpdateBAR[i], b)
	}
	for i := range c.UpdateURR {
		u := r.FindURR(c.UpdateURR[i].ID)
		if u == nil {
			return unknown(session.KindURR, c.UpdateURR[i].ID)
		}
		applyURR(&c.UpdateURR[i], u)
	}
	if err := updateEndpoints(c, r, t); err != nil {
		return err
	}
	for i := range c.UpdatePDR {
		p := r.FindPDR(c.UpdatePDR[i].ID)
		if p == nil {
			return unknown(session.KindPDR, uint32(c.UpdatePDR[i].ID))
		}
		if err := applyPDR(&c.UpdatePDR[i], p, t); err != nil {
			return err
		}
	}
	return nil
}

func unknown(kind session.Kind, id uint32) error {
	return request.RuleError(kind, id, "the session has no such rule")
}

func applyFAR(a *request.FARChange, to *session.FAR) {
	to.ID = a.ID
	if a.Action != nil {
		to.Action = *a.Action
	}
	if a.BAR != nil {
		to.BAR = *a.BAR
	}
	if a.Destination != nil {
		to.Destination = *a.Destination
	}
	if a.RemoveOuter {
		to.Outer = nil
	}
	if a.Outer != nil {
		to.Outer = a.Outer
	}
	if a.Marking != nil {
		to.Marking = *a.Marking
	}
	if a.Copies != nil {
		to.Copies = a.Copies
	}
}

func applyPDR(p *request.PDRChange, to *session.PDR, t *Claims) error {
	to.ID = p.ID
	if p.Precedence != nil {
		to.Precedence = *p.Precedence
	}
	if p.Removal != nil {
		to.RemoveOuterHeader, to.Removal = *p.Removal, p.Removes
	}
	if p.FAR != nil {
		to.FAR = *p.FAR
	}
	if p.QERs != nil {
		to.QERs = p.QERs
	}
	if p.URRs != nil {
		to.URRs = p.URRs
	}
	if p.PDI == nil {
		return nil
	}
	return t.place(p, to)
}

// checkCopies wants an address of the UPF's for the tunnels of copies.
func checkCopies(r *session.Rules, n36 netip.Addr) error {
	for i := range r.FARs {
		f := &r.FARs[i]
		for _, c := range f.Copies {
			if f.Action&session.Duplicate != 0 && c.Peer.Is6() && !n36.IsValid() {
				return request.RuleError(session.KindFAR, f.ID, "its copies go to %v, and the UPF has no IPv6 address on N3", c.Peer)
			}
		}
	}
	return nil
}

// Gates, two bits each: downlink, then uplink (clause 8.2.7). Only 0 is open.
func gates(octet byte) (uplink, downlink bool) {
	return octet>>2&3 == 0, octet&3 == 0
}

func applyQER(q *request.QERChange, to *session.QER) {
	to.ID = q.ID
	if q.Gate != nil {
		to.GateUL, to.GateDL = gates(*q.Gate)
	}
	if q.QFI != nil {
		to.QFI = *q.QFI
	}
	if q.MBR != nil {
		to.MBRUL, to.MBRDL = q.MBR[0], q.MBR[1]
	}
	if q.GBR != nil {
		to.GBRUL, to.GBRDL = q.GBR[0], q.GBR[1]
	}
	if q.RQI != nil {
		to.RQI = *q.RQI
	}
	if q.PPI != nil {
		to.PPI = *q.PPI
	}
	if q.Window != nil {
		to.Window = *q.Window
	}
}

// delayUnit is of a Downlink Data Notification Delay (clause 8.2.28).
const delayUnit = 50 * time.Millisecond

func ApplyBAR(b *request.BARChange, to *session.BAR) {
	to.ID = b.ID
	if b.Delay != nil {
		to.Delay = time.Duration(*b.Delay) * delayUnit
	}
	if b.Packets != nil {
		to.Packets = int(*b.Packets)
	}
}
