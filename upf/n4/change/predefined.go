package change

import (
	"fmt"
	"hash/fnv"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// Predefined is a predefined rule: what PDRs that activate it by its name have beyond what the CP
// function gives them (TS 29.244 clause 5.19).
type Predefined struct {
	// Filters are what packets match, one of them. A PDR that activates the rule has none of its own.
	Filters []session.Filter
	// FAR is that of PDRs for which the CP function gives none, nil: it has to give one. QER, nil: none,
	// is one more for their packets, after the CP function's; the PDRs of a session share its rates.
	// Their IDs are PredefinedID's.
	FAR *session.FAR
	QER *session.QER
}

// PredefinedID is the ID of a predefined rule's FAR and QER: bit 8 of the first octet is set
// (TS 29.244 clauses 8.2.74 and 8.2.75). It is the same whatever other rules there are, since sessions
// outlive the process.
func PredefinedID(name string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(name))
	return h.Sum32() | 1<<31
}

// causeUnknownPredefinedRule is release 16's (TS 29.244 table 8.2.1-1).
const causeUnknownPredefinedRule = 80

// predefine gives the PDRs of a request the predefined rules that they name, and takes back what they
// do not name any more.
func predefine(configured map[string]Predefined, old, r *session.Rules, c *request.Changes) error {
	for _, list := range [...][]request.PDRChange{c.CreatePDR, c.UpdatePDR} {
		for i := range list {
			if err := PredefinePDR(configured, r, &list[i]); err != nil {
				return err
			}
		}
	}
	forgetPredefined(old, r)
	return nil
}

func PredefinePDR(configured map[string]Predefined, r *session.Rules, asks *request.PDRChange) error {
	p := r.FindPDR(asks.ID)
	same := len(asks.Activate)+len(asks.Deactivate) == 0 && asks.PDI == nil
	if same && slices.ContainsFunc(p.Predefined, func(name string) bool { _, known := configured[name]; return !known }) {
		keepQERs(r, p)
		return nil // it keeps what it has of a rule that is not configured any more, since the UPF restarted
	}
	names, err := namesAfter(asks, p.Predefined)
	if err != nil || len(names)+len(p.Predefined) == 0 {
		return err
	}
	for _, name := range p.Predefined {
		forgetIn(p, PredefinedID(name))
	}
	if len(p.Predefined) > 0 && asks.PDI == nil {
		p.PDI.Filters = nil
	}
	switch p.Predefined = names; {
	case len(names) == 0 && asks.PDI == nil:
		return asks.Failure("without its predefined rules it would match all packets: remove it, or give it a PDI")
	case len(names) > 0 && (len(p.PDI.Filters) > 0 || p.PDI.Application != ""):
		return asks.Failure("a PDR has SDF filters, an Application ID or predefined rules, one of them")
	}
	for _, name := range names {
		rule, known := configured[name]
		switch {
		case !known:
			return &request.Rejection{Cause: causeUnknownPredefinedRule, Failed: &session.RuleError{Kind: session.KindPDR, ID: uint32(p.ID)},
				Reason: fmt.Sprintf("PDR %d names the predefined rule %q, which predefined_rules does not have", p.ID, name)}
		case len(names) > 1 && (rule.FAR != nil || rule.QER != nil):
			return asks.Failure("the predefined rule %q has a FAR or a QER: activate it in a PDR by itself", name)
		}
		rule.enter(r, p)
	}
	if p.FAR == 0 {
		return request.MissingConditional(ie.FARID)
	}
	return nil
}

// forgetIn takes the FAR and the QER of a predefined rule out of a PDR.
func forgetIn(p *session.PDR, id uint32) {
	if p.FAR == id {
		p.FAR = 0
	}
	p.QERs = slices.DeleteFunc(slices.Clone(p.QERs), func(q uint32) bool { return q == id })
}

// keepQERs gives a PDR those of its predefined rules again, which QER IDs of a request have replaced.
func keepQERs(r *session.Rules, p *session.PDR) {
	for _, name := range p.Predefined {
		if id := PredefinedID(name); r.FindQER(id) != nil && !slices.Contains(p.QERs, id) {
			p.QERs = append(slices.Clip(p.QERs), id)
		}
	}
}

// namesAfter are those that a PDR has after the request.
func namesAfter(p *request.PDRChange, now []string) ([]string, error) {
	names := slices.Clone(now)
	for _, name := range p.Deactivate {
		at := slices.Index(names, name)
		if at < 0 {
			return nil, p.Failure("the predefined rule %q is not active in it", name)
		}
		names = slices.Delete(names, at, at+1)
	}
	for _, name := range p.Activate {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names, nil
}

// enter gives a PDR, one of the session's, what the rule has.
func (d *Predefined) enter(r *session.Rules, p *session.PDR) {
	p.PDI.Filters = append(p.PDI.Filters, d.Filters...)
	if d.FAR != nil && p.FAR == 0 {
		if f := r.FindFAR(d.FAR.ID); f != nil {
			*f = *d.FAR
		} else {
			r.FARs = append(r.FARs, *d.FAR)
		}
		p.FAR = d.FAR.ID
	}
	if d.QER != nil {
		if q := r.FindQER(d.QER.ID); q != nil {
			*q = *d.QER
		} else {
			r.QERs = append(r.QERs, *d.QER)
		}
		p.QERs = append(slices.Clip(p.QERs), d.QER.ID)
	}
}

// forgetPredefined removes FARs and QERs of the predefined rules that PDRs of the session named before a
// request, or name after it, and that no PDR uses any more: none names the rule, or the SMF's FAR goes
// before the rule's. The rules may not be configured any more.
func forgetPredefined(old, r *session.Rules) {
	var unused map[uint32]bool // nil for the many sessions without predefined rules
	for _, rules := range [...]*session.Rules{old, r} {
		if rules == nil {
			continue
		}
		for i := range rules.PDRs {
			for _, name := range rules.PDRs[i].Predefined {
				if unused == nil {
					unused = map[uint32]bool{}
				}
				unused[PredefinedID(name)] = true
			}
		}
	}
	for i := range r.PDRs {
		delete(unused, r.PDRs[i].FAR)
		for _, id := range r.PDRs[i].QERs {
			delete(unused, id)
		}
	}
	r.FARs = slices.DeleteFunc(r.FARs, func(f session.FAR) bool { return unused[f.ID] })
	r.QERs = slices.DeleteFunc(r.QERs, func(q session.QER) bool { return unused[q.ID] })
}
