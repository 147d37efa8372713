package change

import (
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// resolve gives PDRs the filters that they refer to by ID: those of other PDRs of the
// session.
func resolve(c *request.Changes, r *session.Rules, _ *Claims) error {
	for _, ref := range c.References {
		to := r.FindPDR(ref.PDR)
		if to == nil {
			continue // removed in the same request
		}
		found := findFilter(r, ref.Filter)
		if found == nil {
			return request.RuleError(session.KindPDR, uint32(ref.PDR), "no PDR of the session has an SDF filter with ID %d", ref.Filter)
		}
		to.PDI.Filters = append(to.PDI.Filters, *found)
	}
	return nil
}

// redefine has an SDF filter with an ID that a PDR is updated with apply to the other PDRs of
// the session that have it, too: an ID stands for one filter of a session, which is
// bidirectional where PDRs of both directions have it (TS 29.244 clause 8.2.5). PDRs for which
// the request has filters keep those.
func redefine(c *request.Changes, r *session.Rules, _ *Claims) error {
	given := map[uint16]bool{}
	for i := range c.UpdatePDR {
		given[c.UpdatePDR[i].ID] = c.UpdatePDR[i].PDI != nil
	}
	for i := range c.UpdatePDR {
		p := &c.UpdatePDR[i]
		if p.PDI == nil {
			continue
		}
		for _, f := range p.PDI.Filters {
			replaceFilter(r, f, given)
		}
	}
	return nil
}

// replaceFilter replaces the filter with that ID in all PDRs but some.
func replaceFilter(r *session.Rules, f session.Filter, but map[uint16]bool) {
	if f.ID == 0 {
		return
	}
	for i := range r.PDRs {
		if p := &r.PDRs[i]; !but[p.ID] {
			for j := range p.PDI.Filters {
				if p.PDI.Filters[j].ID == f.ID {
					p.PDI.Filters[j] = f
				}
			}
		}
	}
}

func findFilter(r *session.Rules, id uint32) *session.Filter {
	for i := range r.PDRs {
		for j := range r.PDRs[i].PDI.Filters {
			if f := &r.PDRs[i].PDI.Filters[j]; f.ID == id {
				return f
			}
		}
	}
	return nil
}
