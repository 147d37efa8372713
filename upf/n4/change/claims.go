package change

import (
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/keys"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// chosenPDR is the IE that gives the CP function the F-TEID and the UE addresses that were
// chosen: Created PDR (table 7.5.3.2-1), or Updated PDR (table 7.5.5.5-1).
func (t *Claims) chosenPDR(c choice, p *session.PDI) *ie.IE {
	typ := ie.UpdatedPDR
	if t.creates(c.pdr) {
		typ = ie.CreatedPDR
	}
	return pfcp.Group(typ, append([]*ie.IE{ie.NewPDRID(c.pdr)}, t.chosenIEs(c, p)...)...)
}

// chosenIEs are the F-TEID and the UE IP Address, of those that were chosen.
func (t *Claims) chosenIEs(c choice, p *session.PDI) (ies []*ie.IE) {
	if c.teid != 0 {
		ies = append(ies, ie.NewFTEID(c.families(), c.teid, t.N3.AsSlice(), t.n36.AsSlice(), 0))
	}
	if ue := ueIP(p, c.ue); ue != nil {
		ies = append(ies, ue)
	}
	return ies
}

// families are V4 and V6 of the F-TEID.
func (c choice) families() (flags uint8) {
	if c.four {
		flags |= 1
	}
	if c.six {
		flags |= 2
	}
	return flags
}

// Claims is what one request does to the TEIDs of a session: claimed while
// the rules are made, kept or given back with them.
type Claims struct {
	TEIDs   *keys.TEIDs
	SEID    uint64
	N3, n36 netip.Addr
	shared  map[uint8]uint32 // chosen, by CHOOSE ID
	claimed []uint32
	chosen  []choice
	Ended   []session.OuterHeader
	Rules   *session.Rules // that are being made
	creates func(pdr uint16) bool
	Final   usage.Finals // usage of URRs that the request removes
	Lease   Lease
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
func (t *Claims) place(p *request.PDRChange, to *session.PDR) error {
	to.PDI = p.PDI.PDI
	to.PDI.Filters = slices.Clone(p.PDI.Filters)
	if p.Removes6 && !t.n36.IsValid() {
		return p.Failure("outer header removal 1 is of IPv6, and the UPF has no IPv6 address on N3")
	}
	if key := to.PDI.Endpoint; key != 0 {
		e := t.Rules.FindEndpoint(uint8(key - 1))
		if e == nil {
			return p.Failure("its traffic endpoint %d is not in the session", key-1)
		}
		e.Fill(&to.PDI)
		return nil
	}
	return t.placePDI(choice{pdr: p.ID}, p.PDI, &to.PDI, p.Failure)
}

// placePDI sets TEID and UE addresses, those that were given or are chosen now.
func (t *Claims) placePDI(one choice, from *request.PDI, to *session.PDI, failure request.Failing) error {
	if err := t.Lease.place(from, to, failure); err != nil {
		return err
	}
	one.ue = from.ChooseUE
	switch ask := from.FTEID; {
	case ask.Given:
		to.TEID, to.HasTEID = ask.TEID, true
		if err := t.claim(ask, failure); err != nil {
			return err
		}
	case ask.Choose && !ask.Four && !t.n36.IsValid():
		return failure("the UPF has no IPv6 address on N3")
	case ask.Choose:
		one.four, one.six = ask.Four, ask.Six && t.n36.IsValid()
		one.teid = t.choose(ask)
		to.TEID, to.HasTEID = one.teid, true
	}
	if one.teid != 0 || one.ue != [2]bool{} {
		t.chosen = append(t.chosen, one)
	}
	return nil
}

func (t *Claims) claim(ask request.FTEID, failure request.Failing) error {
	if ask.Four && ask.Addr != t.N3 {
		return failure("F-TEID address %v is not the UPF's N3 address %v", ask.Addr, t.N3)
	}
	if ask.Six && ask.Addr6 != t.n36 {
		return failure("F-TEID address %v is not the UPF's IPv6 address on N3", ask.Addr6)
	}
	fresh, ok := t.TEIDs.Claim(ask.TEID, t.SEID)
	if !ok {
		return failure("TEID %#x belongs to another session", ask.TEID)
	}
	if fresh {
		t.claimed = append(t.claimed, ask.TEID)
	}
	return nil
}

func (t *Claims) choose(ask request.FTEID) uint32 {
	if teid, found := t.shared[ask.ChooseID]; ask.HasChooseID && found {
		return teid
	}
	teid := t.TEIDs.Choose(t.SEID)
	t.claimed = append(t.claimed, teid)
	if ask.HasChooseID {
		if t.shared == nil {
			t.shared = map[uint8]uint32{}
		}
		t.shared[ask.ChooseID] = teid
	}
	return teid
}

// Allocated lists the Created PDR, Updated PDR and Created Traffic Endpoint IEs: one for each choice that the rules
// have in the end. Traffic endpoints have one IE for both (TS 29.244 table 7.5.5.1-1).
func (t *Claims) Allocated() (ies []*ie.IE) {
	for _, c := range t.chosen {
		if e := t.Rules.FindEndpoint(uint8(c.endpoint - 1)); c.endpoint != 0 && e != nil && c.isIn(&e.PDI) {
			ies = append(ies, t.createdEndpoint(c, &e.PDI))
		}
		if p := t.Rules.FindPDR(c.pdr); c.endpoint == 0 && p != nil && c.isIn(&p.PDI) {
			ies = append(ies, t.chosenPDR(c, &p.PDI))
		}
	}
	return ies
}

// isIn reports whether the TEID that was chosen is the PDI's.
func (c choice) isIn(p *session.PDI) bool { return c.teid == 0 || p.HasTEID && p.TEID == c.teid }

// markEnd notes the tunnel that a FAR leaves when the CP function asks for End
// Markers: once, whatever number of FARs leave it.
func (t *Claims) markEnd(a *request.FARChange, old *session.FAR) {
	leaves := a.EndMarker && old.Outer != nil && !old.Outer.Kind.OnN6() && a.Outer != nil && *a.Outer != *old.Outer
	if leaves && !slices.Contains(t.Ended, *old.Outer) {
		t.Ended = append(t.Ended, *old.Outer)
	}
}

// Rollback gives back what the request claimed.
func (t *Claims) Rollback() {
	t.TEIDs.Free(t.claimed)
	t.Lease.rollback()
}

// Settle frees the TEIDs that the session had, or claimed in this request, and
// that its rules do not have now.
func (t *Claims) Settle(old, now *session.Rules) {
	t.Lease.settle(old, now)
	kept := map[uint32]bool{}
	for _, teid := range keys.TEIDsOf(now) {
		kept[teid] = true
	}
	gone := slices.DeleteFunc(append(keys.TEIDsOf(old), t.claimed...), func(teid uint32) bool { return kept[teid] })
	t.TEIDs.Free(gone)
}
