package pfcp

import (
	"crypto/rand"
	"encoding/binary"
	"net/netip"
	"slices"
	"sync"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// tunnels is what one request does to the TEIDs of a session: claimed while
// the rules are made, kept or given back with them.
type tunnels struct {
	teids   *teids
	seid    uint64
	n3, n36 netip.Addr
	shared  map[uint8]uint32 // chosen, by CHOOSE ID
	claimed []uint32
	chosen  []choice
	ended   []session.OuterHeader
	rules   *session.Rules // that are being made
	creates func(pdr uint16) bool
	final   finals // usage of URRs that the request removes
	lease   lease
}

// choice is what was chosen for a PDR: a TEID, 0 for none, and UE addresses.
type choice struct {
	pdr uint16
	// endpoint is the key of a traffic endpoint, in the place of a PDR; 0 for none.
	endpoint uint16
	teid     uint32
	// four and six say which of N3's addresses the F-TEID has.
	four, six bool
	ue        [2]bool
}

// place sets a PDR's PDI, with the TEID that was given or is chosen now.
func (t *tunnels) place(p *pdrChange, to *session.PDR) error {
	to.PDI = p.pdi.PDI
	to.PDI.Filters = slices.Clone(p.pdi.Filters)
	if p.removes6 && !t.n36.IsValid() {
		return p.failure("outer header removal 1 is of IPv6, and the UPF has no IPv6 address on N3")
	}
	if key := to.PDI.Endpoint; key != 0 {
		e := t.rules.FindEndpoint(uint8(key - 1))
		if e == nil {
			return p.failure("its traffic endpoint %d is not in the session", key-1)
		}
		e.Fill(&to.PDI)
		return nil
	}
	return t.placePDI(choice{pdr: p.id}, p.pdi, &to.PDI, p.failure)
}

// placePDI sets TEID and UE addresses, those that were given or are chosen now.
func (t *tunnels) placePDI(one choice, from *pdi, to *session.PDI, failure failing) error {
	if err := t.lease.place(from, to, failure); err != nil {
		return err
	}
	one.ue = from.chooseUE
	switch ask := from.fteid; {
	case ask.given:
		to.TEID, to.HasTEID = ask.teid, true
		if err := t.claim(ask, failure); err != nil {
			return err
		}
	case ask.choose && !ask.four && !t.n36.IsValid():
		return failure("the UPF has no IPv6 address on N3")
	case ask.choose:
		one.four, one.six = ask.four, ask.six && t.n36.IsValid()
		one.teid = t.choose(ask)
		to.TEID, to.HasTEID = one.teid, true
	}
	if one.teid != 0 || one.ue != [2]bool{} {
		t.chosen = append(t.chosen, one)
	}
	return nil
}

func (t *tunnels) claim(ask fteid, failure failing) error {
	if ask.four && ask.addr != t.n3 {
		return failure("F-TEID address %v is not the UPF's N3 address %v", ask.addr, t.n3)
	}
	if ask.six && ask.addr6 != t.n36 {
		return failure("F-TEID address %v is not the UPF's IPv6 address on N3", ask.addr6)
	}
	fresh, ok := t.teids.claim(ask.teid, t.seid)
	if !ok {
		return failure("TEID %#x belongs to another session", ask.teid)
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

// allocated lists the Created PDR, Updated PDR and Created Traffic Endpoint IEs: one for each choice that the rules
// have in the end. Traffic endpoints have one IE for both (TS 29.244 table 7.5.5.1-1).
func (t *tunnels) allocated() (ies []*ie.IE) {
	for _, c := range t.chosen {
		if e := t.rules.FindEndpoint(uint8(c.endpoint - 1)); c.endpoint != 0 && e != nil && c.isIn(&e.PDI) {
			ies = append(ies, t.createdEndpoint(c, &e.PDI))
		}
		if p := t.rules.FindPDR(c.pdr); c.endpoint == 0 && p != nil && c.isIn(&p.PDI) {
			ies = append(ies, t.chosenPDR(c, &p.PDI))
		}
	}
	return ies
}

// isIn reports whether the TEID that was chosen is the PDI's.
func (c choice) isIn(p *session.PDI) bool { return c.teid == 0 || p.HasTEID && p.TEID == c.teid }

// markEnd notes the tunnel that a FAR leaves when the CP function asks for End
// Markers: once, whatever number of FARs leave it.
func (t *tunnels) markEnd(a *farChange, old *session.FAR) {
	leaves := a.endMarker && old.Outer != nil && !old.Outer.Kind.OnN6() && a.outer != nil && *a.outer != *old.Outer
	if leaves && !slices.Contains(t.ended, *old.Outer) {
		t.ended = append(t.ended, *old.Outer)
	}
}

// rollback gives back what the request claimed.
func (t *tunnels) rollback() {
	t.teids.free(t.claimed)
	t.lease.rollback()
}

// settle frees the TEIDs that the session had, or claimed in this request, and
// that its rules do not have now.
func (t *tunnels) settle(old, now *session.Rules) {
	t.lease.settle(old, now)
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
	for i := range r.Endpoints {
		if p := &r.Endpoints[i].PDI; p.HasTEID {
			list = append(list, p.TEID)
		}
	}
	return list
}

// teids says which session has which TEID, given and chosen ones alike, so that
// the two never collide.
type teids struct {
	mu     sync.Mutex
	owner  map[uint32]uint64 // TEID to the UP function's SEID
	random func() uint32
}

func newTEIDs() *teids { return &teids{owner: map[uint32]uint64{}, random: randomTEID} }

// randomTEID and randomSEID cannot be guessed: who knows one tunnel or session
// knows nothing of the others.
func randomTEID() uint32 {
	var b [4]byte
	rand.Read(b[:]) // never fails
	return binary.BigEndian.Uint32(b[:])
}

func randomSEID() uint64 {
	var b [8]byte
	rand.Read(b[:])
	return binary.BigEndian.Uint64(b[:])
}

// choose finds a free TEID for the session. There are 2^32-1 of them and far
// fewer sessions, so it ends soon.
func (t *teids) choose(seid uint64) uint32 {
	t.mu.Lock()
	defer t.mu.Unlock()
	for {
		teid := t.random()
		if _, taken := t.owner[teid]; !taken && teid != 0 {
			t.owner[teid] = seid
			return teid
		}
	}
}

// claim takes a TEID for the session; not ok when another has it. It is fresh
// when the session did not have it before.
func (t *teids) claim(teid uint32, seid uint64) (fresh, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	owner, taken := t.owner[teid]
	if !taken {
		t.owner[teid] = seid
	}
	return !taken, !taken || owner == seid
}

func (t *teids) free(list []uint32) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, teid := range list {
		delete(t.owner, teid)
	}
}

// ownerOf is the session that has a TEID; 0 when none does.
func (t *teids) ownerOf(teid uint32) uint64 {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.owner[teid]
}

func (t *teids) has(teid uint32) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	_, has := t.owner[teid]
	return has
}
