package pfcp

import (
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// tunnels is what one request does to the TEIDs of a session: claimed while
// the rules are made, kept or given back with them.
type tunnels struct {
	teids   *teids
	seid    uint64
	n3      netip.Addr
	shared  map[uint8]uint32 // chosen, by CHOOSE ID
	claimed []uint32
	chosen  []choice
	ended   []session.OuterHeader
	of      *pduSession
	final   finals // usage of URRs that the request removes
}

// choice is a TEID that was chosen for a PDR.
type choice struct {
	pdr  uint16
	teid uint32
}

// place sets a PDR's PDI, with the TEID that was given or is chosen now.
func (t *tunnels) place(p *pdrChange, to *session.PDR) error {
	old := to.PDI
	to.PDI = p.pdi.PDI
	to.PDI.Filters = slices.Clone(p.pdi.Filters)
	switch ask := p.pdi.fteid; {
	case ask.given:
		to.PDI.TEID, to.PDI.HasTEID = ask.teid, true
		return t.claim(p, ask)
	case ask.choose && old.HasTEID:
		to.PDI.TEID, to.PDI.HasTEID = old.TEID, true
	case ask.choose:
		to.PDI.TEID, to.PDI.HasTEID = t.choose(ask), true
		t.chosen = append(t.chosen, choice{p.id, to.PDI.TEID})
	}
	return nil
}

func (t *tunnels) claim(p *pdrChange, ask fteid) error {
	if ask.addr != t.n3 {
		return p.failure("F-TEID address %v is not the UPF's N3 address %v", ask.addr, t.n3)
	}
	fresh, ok := t.teids.claim(ask.teid, t.seid)
	if !ok {
		return p.failure("TEID %#x belongs to another session", ask.teid)
	}
	if fresh {
		t.claimed = append(t.claimed, ask.teid)
	}
	return nil
}

func (t *tunnels) choose(ask fteid) uint32 {
	if teid, found := t.shared[ask.chooseID]; ask.hasChooseID && found {
		return teid
	}
	teid := t.teids.choose(t.seid)
	t.claimed = append(t.claimed, teid)
	if ask.hasChooseID {
		if t.shared == nil {
			t.shared = map[uint8]uint32{}
		}
		t.shared[ask.chooseID] = teid
	}
	return teid
}

// created lists the Created PDR IEs: of the TEIDs chosen, those that the rules
// have in the end.
func (t *tunnels) created(rules *session.Rules) (ies []*ie.IE) {
	for _, c := range t.chosen {
		if p := rules.FindPDR(c.pdr); p != nil && p.PDI.HasTEID && p.PDI.TEID == c.teid {
			ies = append(ies, createdPDR(c.pdr, c.teid, t.n3))
		}
	}
	return ies
}

// markEnd notes the tunnel that a FAR leaves when the CP function asks for End
// Markers.
func (t *tunnels) markEnd(a *farChange, old *session.FAR) {
	if a.endMarker && old.Outer != nil && a.outer != nil && *a.outer != *old.Outer {
		t.ended = append(t.ended, *old.Outer)
	}
}

// rollback gives back what the request claimed.
func (t *tunnels) rollback() { t.teids.free(t.claimed) }

// settle frees the TEIDs that the session had, or claimed in this request, and
// that its rules do not have now.
func (t *tunnels) settle(old, now *session.Rules) {
	kept := map[uint32]bool{}
	for _, teid := range teidsOf(now) {
		kept[teid] = true
	}
	gone := slices.DeleteFunc(append(teidsOf(old), t.claimed...), func(teid uint32) bool { return kept[teid] })
	t.teids.free(gone)
}

// teidsOf lists the local TEIDs of rules, which may be nil.
func teidsOf(r *session.Rules) (list []uint32) {
	if r == nil {
		return nil
	}
	for i := range r.PDRs {
		if p := &r.PDRs[i].PDI; p.HasTEID {
			list = append(list, p.TEID)
		}
	}
	return list
}
