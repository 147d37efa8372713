package pfcp

import (
	"math/rand/v2"
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// teids says which session has which TEID, given and chosen ones alike, so
// that the two never collide.
type teids struct {
	owner map[uint32]uint64 // TEID to the UP function's SEID
	next  uint32
}

func newTEIDs() *teids {
	return &teids{owner: map[uint32]uint64{}, next: rand.Uint32()}
}

// choose finds a free TEID for the session. There are 2^32-1 of them and far
// fewer sessions, so it ends.
func (t *teids) choose(seid uint64) uint32 {
	for {
		t.next++
		if _, taken := t.owner[t.next]; !taken && t.next != 0 {
			t.owner[t.next] = seid
			return t.next
		}
	}
}

// tunnels is what one request does to the TEIDs of a session: claimed while
// the rules are made, kept or given back with them.
type tunnels struct {
	teids   *teids
	seid    uint64
	n3      netip.Addr
	chosen  map[uint8]uint32 // by CHOOSE ID
	claimed []uint32
	created []*ie.IE // Created PDRs for the answer
	ended   []session.OuterHeader
}

// place sets a PDR's PDI, with the TEID that was given or is chosen now.
func (t *tunnels) place(p *pdrChange, to *session.PDR) error {
	old := to.PDI
	to.PDI = p.pdi.PDI
	switch ask := p.pdi.fteid; {
	case ask.given:
		to.PDI.TEID, to.PDI.HasTEID = ask.teid, true
		return t.claim(p, ask)
	case ask.choose && old.HasTEID:
		to.PDI.TEID, to.PDI.HasTEID = old.TEID, true
	case ask.choose:
		to.PDI.TEID, to.PDI.HasTEID = t.choose(ask), true
		t.created = append(t.created, createdPDR(p.id, to.PDI.TEID, t.n3))
	}
	return nil
}

func (t *tunnels) claim(p *pdrChange, ask fteid) error {
	if ask.addr != t.n3 {
		return p.failure("F-TEID address %v is not the UPF's N3 address %v", ask.addr, t.n3)
	}
	owner, taken := t.teids.owner[ask.teid]
	if taken && owner != t.seid {
		return p.failure("TEID %#x belongs to another session", ask.teid)
	}
	if !taken {
		t.teids.owner[ask.teid] = t.seid
		t.claimed = append(t.claimed, ask.teid)
	}
	return nil
}

func (t *tunnels) choose(ask fteid) uint32 {
	if teid, shared := t.chosen[ask.chooseID]; ask.hasChooseID && shared {
		return teid
	}
	teid := t.teids.choose(t.seid)
	t.claimed = append(t.claimed, teid)
	if ask.hasChooseID {
		if t.chosen == nil {
			t.chosen = map[uint8]uint32{}
		}
		t.chosen[ask.chooseID] = teid
	}
	return teid
}

// markEnd notes the tunnel that a FAR leaves when the CP function asks for End
// Markers.
func (t *tunnels) markEnd(a *farChange, old *session.FAR) {
	if a.endMarker && old.Outer != nil && a.outer != nil && *a.outer != *old.Outer {
		t.ended = append(t.ended, *old.Outer)
	}
}

// rollback gives back what the request claimed.
func (t *tunnels) rollback() {
	for _, teid := range t.claimed {
		delete(t.teids.owner, teid)
	}
}

// release frees the TEIDs that old had and now, which may be nil, has not.
func (t *teids) release(old, now *session.Rules) {
	kept := map[uint32]bool{}
	if now != nil {
		for i := range now.PDRs {
			kept[now.PDRs[i].PDI.TEID] = true
		}
	}
	for i := range old.PDRs {
		if p := &old.PDRs[i].PDI; p.HasTEID && !kept[p.TEID] {
			delete(t.owner, p.TEID)
		}
	}
}
