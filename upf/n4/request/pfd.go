package request

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// PFDManagement is a PFD Management Request (TS 29.244 clauses 6.2.5, 7.4.3.1): what the
// packets of applications look like. Each CP function has its own applications.
type PFDManagement struct {
	// applications are new; one without filters is removed. nil removes all.
	applications map[string][]session.Filter
}

// Bounds of what a CP function may have.
const (
	maxApplicationID = 255
	MaxFlows         = 4096 // of all its applications
)

// Flags of PFD Contents (clause 8.2.39).
const (
	pfdFD  = 1 << 0 // flow description
	pfdAFD = 1 << 5 // additional flow descriptions
)

func decodePFDs(f Fields) (Request, error) {
	p := PFDManagement{}
	for _, i := range f {
		if i.Type != ie.ApplicationIDsPFDs {
			continue
		}
		if p.applications == nil {
			p.applications = map[string][]session.Filter{}
		}
		if err := p.decodeApplication(Fields(i.ChildIEs)); err != nil {
			return nil, err
		}
	}
	return p, nil
}

func (p *PFDManagement) decodeApplication(f Fields) error {
	id, err := f.must(ie.ApplicationID, 1)
	if err != nil {
		return err
	}
	if len(id) > maxApplicationID {
		return Incorrect(ie.ApplicationID, "it is longer than 255 octets")
	}
	p.applications[string(id)] = nil
	for _, context := range f {
		if context.Type != ie.PFDContext {
			continue
		}
		contents := Fields(context.ChildIEs)
		if contents.Find(ie.PFDContents) == nil {
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
		return nil, &Rejection{Cause: ie.CauseServiceNotSupported, Offending: ie.PFDContents,
			Reason: "PFDs of flow descriptions are supported, URLs, domain names and custom ones are not"}
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
		f, err := ParseFlow(text)
		if err != nil {
			return nil, Incorrect(ie.PFDContents, fmt.Sprintf("flow description %q: %v", text, err))
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

func (p *PFDManagement) Merge(old map[string][]session.Filter) map[string][]session.Filter {
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

func CountFlows(applications map[string][]session.Filter) (n int) {
	for _, filters := range applications {
		n += len(filters)
	}
	return n
}

// BringsPDI reports whether the request gives the PDR its PDI.
func (c *Changes) BringsPDI(id uint16) bool {
	brings := func(p PDRChange) bool { return p.ID == id && p.PDI != nil }
	return slices.ContainsFunc(c.CreatePDR, brings) || slices.ContainsFunc(c.UpdatePDR, brings)
}
