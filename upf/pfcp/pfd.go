package pfcp

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// pfdManagement is a PFD Management Request (TS 29.244 clauses 6.2.5, 7.4.3.1): what the
// packets of applications look like. Each CP function has its own applications.
type pfdManagement struct {
	// applications are new; one without filters is removed. nil removes all.
	applications map[string][]session.Filter
}

// Bounds of what a CP function may have.
const (
	maxApplicationID = 255
	maxFlows         = 4096 // of all its applications
)

// Flags of PFD Contents (clause 8.2.39).
const (
	pfdFD  = 1 << 0 // flow description
	pfdAFD = 1 << 5 // additional flow descriptions
)

func decodePFDs(f fields) (procedure, error) {
	p := pfdManagement{}
	for _, i := range f {
		if i.Type != ie.ApplicationIDsPFDs {
			continue
		}
		if p.applications == nil {
			p.applications = map[string][]session.Filter{}
		}
		if err := p.decodeApplication(fields(i.ChildIEs)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *pfdManagement) decodeApplication(f fields) error {
	id, err := f.must(ie.ApplicationID, 1)
	if err != nil {
		return err
	}
	if len(id) > maxApplicationID {
		return incorrect(ie.ApplicationID, "it is longer than 255 octets")
	}
	p.applications[string(id)] = nil
	for _, context := range f {
		if context.Type != ie.PFDContext {
			continue
		}
		contents := fields(context.ChildIEs)
		if contents.find(ie.PFDContents) == nil {
			return missing(ie.PFDContents)
		}
		for _, i := range contents {
			if i.Type != ie.PFDContents {
				continue
			}
			filters, err := decodePFD(i.Payload)
			if err != nil {
				return err
			}
			p.applications[string(id)] = append(p.applications[string(id)], filters...)
		}
	}
	return nil
}

// decodePFD reads PFD Contents, of flow descriptions.
func decodePFD(b []byte) (filters []session.Filter, err error) {
	if len(b) < 2 {
		return nil, badLength(ie.PFDContents)
	}
	flags, rest := b[0], b[2:]
	if flags&^(pfdFD|pfdAFD) != 0 || flags == 0 {
		return nil, &rejection{cause: ie.CauseServiceNotSupported, offending: ie.PFDContents,
			reason: "PFDs of flow descriptions are supported, URLs, domain names and custom ones are not"}
	}
	var texts []string
	if flags&pfdFD != 0 {
		text, after, ok := takeText(rest)
		if !ok {
			return nil, badLength(ie.PFDContents)
		}
		texts, rest = append(texts, text), after
	}
	if flags&pfdAFD != 0 {
		more, ok := takeTexts(rest)
		if !ok {
			return nil, badLength(ie.PFDContents)
		}
		texts = append(texts, more...)
	}
	for _, text := range texts {
		f, err := parseFlow(text)
		if err != nil {
			return nil, incorrect(ie.PFDContents, fmt.Sprintf("flow description %q: %v", text, err))
		}
		filters = append(filters, f)
	}
	return filters, nil
}

// takeTexts reads a list of flow descriptions with the length of all before it.
func takeTexts(b []byte) (texts []string, ok bool) {
	if len(b) < 2 || len(b)-2 < int(binary.BigEndian.Uint16(b)) {
		return nil, false
	}
	for b = b[2 : 2+binary.BigEndian.Uint16(b)]; len(b) > 0; {
		text, rest, ok := takeText(b)
		if !ok {
			return nil, false
		}
		texts, b = append(texts, text), rest
	}
	return texts, true
}

// run gives the sender's sessions the new filters. Where one of them cannot have them,
// nothing changes.
func (s *nodes) manage(p pfdManagement, from source) outcome {
	a, err := s.associations.sender(from)
	if err != nil {
		return s.fail(from, err)
	}
	old := s.associations.applications(a)
	now := p.merge(old)
	if countFlows(now) > maxFlows {
		return s.fail(from, noResources(fmt.Sprintf("more than %d flow descriptions", maxFlows)))
	}
	if err := s.setApplications(a, now, from); err != nil {
		s.restoreApplications(a, old, from)
		return s.fail(from, &rejection{cause: ie.CauseRequestRejected, reason: err.Error()})
	}
	return outcome{answer: s.accepted(from.Header, 0), keep: true, node: a.node}
}

func (p *pfdManagement) merge(old map[string][]session.Filter) map[string][]session.Filter {
	now := map[string][]session.Filter{}
	if p.applications == nil {
		return now
	}
	maps.Copy(now, old)
	for id, filters := range p.applications {
		if now[id] = filters; filters == nil {
			delete(now, id)
		}
	}
	return now
}

func countFlows(applications map[string][]session.Filter) (n int) {
	for _, filters := range applications {
		n += len(filters)
	}
	return n
}

// setApplications changes a CP function's applications, and its sessions one by one. One
// that is established meanwhile has the new ones, or is among them.
func (s *nodes) setApplications(a *association, applications map[string][]session.Filter, from source) error {
	s.associations.setApplications(a, applications)
	for _, one := range s.associations.ownership.sessionsOf(a) {
		if err := s.carry.reapply(one, from); err != nil {
			return err
		}
	}
	return nil
}

func (s *nodes) restoreApplications(a *association, old map[string][]session.Filter, from source) {
	if err := s.setApplications(a, old, from); err != nil {
		s.log.Error("give sessions their old applications back", "node", a.node, "err", err)
	}
}

// reapply gives a session the filters that its applications have now.
func (s *carrier) reapply(one *pduSession, from source) error {
	one.Lock()
	defer one.Unlock()
	rules := one.rules.Rules()
	if rules == nil || !slices.ContainsFunc(rules.PDRs, func(p session.PDR) bool { return p.PDI.Application != "" }) {
		return nil
	}
	_, err := s.change(one, &changes{}, from.at)
	return err
}

// detect gives PDRs the filters of the applications that they name. Those that the
// request brings need applications that are there.
func detect(rules *session.Rules, c *changes, applications map[string][]session.Filter) error {
	for i := range rules.PDRs {
		p := &rules.PDRs[i]
		if p.PDI.Application == "" {
			continue
		}
		filters, known := applications[p.PDI.Application]
		if !known && c.bringsPDI(p.ID) {
			return ruleError(session.KindPDR, uint32(p.ID), "application %q has no PFDs: send them by PFD Management first", p.PDI.Application)
		}
		p.PDI.Filters = slices.Clone(filters)
	}
	return nil
}

// bringsPDI reports whether the request gives the PDR its PDI.
func (c *changes) bringsPDI(id uint16) bool {
	brings := func(p pdrChange) bool { return p.id == id && p.pdi != nil }
	return slices.ContainsFunc(c.createPDR, brings) || slices.ContainsFunc(c.updatePDR, brings)
}

// applications are those of a CP function, which are not changed but replaced.
func (l *associations) applications(a *association) map[string][]session.Filter {
	l.mu.Lock()
	defer l.mu.Unlock()
	return a.applications
}

// setApplications replaces and keeps them.
func (l *associations) setApplications(a *association, now map[string][]session.Filter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.applications = now
	if l.nodes[a.node] == a { // it may have been made anew, or have ended
		l.kept.association(a)
	}
}
