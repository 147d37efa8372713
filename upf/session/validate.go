package session

import (
	"net/netip"
	"slices"
)

// Basic is what every datapath offers; All has those of one that hands packets on.
const (
	Basic = Drop | Forward
	All   = Basic | Buffer | Notify | Duplicate
)

// MaxQFI is the greatest QoS flow identifier (TS 38.415 clause 5.5.3.3).
const MaxQFI = 63

// Validate says whether the rules are complete and can be carried out by a
// datapath that offers the given actions: whatever passes is forwarded or
// dropped as it says, never accepted and then ignored. The error is a
// *RuleError.
func (r *Rules) Validate(offers Action) error {
	seen := index{make(map[uint32]bool, len(r.QERs)), make(map[uint32]*FAR, len(r.FARs)),
		make(map[uint16]bool, len(r.PDRs)), make(map[uint32]bool, len(r.URRs))}
	for i := range r.QERs {
		if err := seen.validateQER(&r.QERs[i]); err != nil {
			return err
		}
	}
	for i := range r.FARs {
		if err := seen.validateFAR(&r.FARs[i], offers); err != nil {
			return err
		}
	}
	for i := range r.URRs {
		if seen.urrs[r.URRs[i].ID] {
			return urrError(r.URRs[i].ID, "the session has two URRs with this ID")
		}
		seen.urrs[r.URRs[i].ID] = true
	}
	for i := range r.PDRs {
		if err := seen.validatePDR(&r.PDRs[i]); err != nil {
			return err
		}
	}
	return nil
}

// index is the rules seen so far, so that the time a session takes grows with its
// size and not with the square of it.
type index struct {
	qers map[uint32]bool
	fars map[uint32]*FAR
	pdrs map[uint16]bool
	urrs map[uint32]bool
}

func (x *index) validateQER(q *QER) error {
	if x.qers[q.ID] {
		return qerError(q.ID, "the session has two QERs with this ID")
	}
	x.qers[q.ID] = true
	if q.QFI > MaxQFI {
		return qerError(q.ID, "QFI %d is above %d", q.QFI, MaxQFI)
	}
	return nil
}

func (x *index) validateFAR(f *FAR, offers Action) error {
	if x.fars[f.ID] != nil {
		return farError(f.ID, "the session has two FARs with this ID")
	}
	x.fars[f.ID] = f
	verb := f.Action & (Drop | Forward | Buffer)
	switch {
	case verb != Drop && verb != Forward && verb != Buffer:
		return farError(f.ID, "Apply Action needs exactly one of DROP, FORW and BUFF")
	case f.Action&Notify != 0 && f.Action&Buffer == 0:
		return farError(f.ID, "NOCP needs BUFF")
	case f.Action&^offers != 0:
		return farError(f.ID, "the datapath offers DROP and FORW, not BUFF, NOCP or DUPL")
	case f.Action&Duplicate != 0 && f.Action&Forward == 0:
		return farError(f.ID, "DUPL is done with FORW only")
	case f.Action&Duplicate != 0 && len(f.Copies) == 0:
		return farError(f.ID, "DUPL needs Duplicating Parameters")
	case f.Action&Forward == 0:
		return nil
	}
	return f.validateForward()
}

// Unaddressed reports whether the FAR forwards to the access side and has no tunnel yet: so some SMFs establish a session
// before they know the gNB's F-TEID. Packets go nowhere until a modification names a tunnel.
func (f *FAR) Unaddressed() bool {
	return f.Action&Forward != 0 && f.Destination == Access && f.Outer == nil
}

func (f *FAR) validateForward() error {
	switch {
	case f.Destination != Core && f.Outer == nil && !f.Unaddressed():
		return farError(f.ID, "forwarding to %v needs an Outer Header Creation", f.Destination)
	case f.Marking != 0 && f.Outer == nil:
		return farError(f.ID, "Transport Level Marking is of an outer header, and none is created")
	case f.Outer != nil && (!f.Outer.Peer.IsValid() || f.Outer.Peer.Is4In6() || f.Outer.Peer.Zone() != ""):
		return farError(f.ID, "the outer header's peer %v is not an IP address", f.Outer.Peer)
	case f.Outer != nil && f.Outer.Kind.OnN6():
		return f.validateExit()
	}
	return nil
}

// validateExit is about a tunnel on N6.
func (f *FAR) validateExit() error {
	switch o := f.Outer; {
	case f.Destination != Core:
		return farError(f.ID, "an outer header %v is of tunnels on N6, and the FAR forwards to %v", o.Kind, f.Destination)
	case o.Peer.Is6() != o.Kind.IsIPv6():
		return farError(f.ID, "an outer header %v does not lead to %v", o.Kind, o.Peer)
	case o.Kind.HasUDP() && o.Port == 0:
		return farError(f.ID, "an outer header %v needs a port", o.Kind)
	}
	return nil
}

func (x *index) validatePDR(p *PDR) error {
	if x.pdrs[p.ID] {
		return pdrError(p.ID, "the session has two PDRs with this ID")
	}
	x.pdrs[p.ID] = true
	if err := p.validatePDI(); err != nil {
		return err
	}
	for _, id := range p.QERs {
		if !x.qers[id] {
			return pdrError(p.ID, "its QER %d is not in the session", id)
		}
	}
	for _, id := range p.URRs {
		if !x.urrs[id] {
			return pdrError(p.ID, "its URR %d is not in the session", id)
		}
	}
	far := x.fars[p.FAR]
	if far == nil {
		return pdrError(p.ID, "its FAR %d is not in the session", p.FAR)
	}
	switch {
	case far.Action&Buffer != 0 && p.PDI.Source == Access:
		return pdrError(p.ID, "uplink packets are not buffered")
	case far.Action&Forward == 0:
		return nil
	}
	return p.validateWay(far)
}

func (p *PDR) validatePDI() error {
	switch {
	case p.PDI.Source == Access && !p.PDI.HasTEID:
		return pdrError(p.ID, "a PDI for access needs a local F-TEID")
	case !p.PDI.HasTEID && !p.PDI.HasUE():
		return pdrError(p.ID, "a PDI for core needs a UE IP Address, its own or another PDR's of the session, or a local F-TEID (N9)")
	case p.PDI.UE.IsValid() && !p.PDI.UE.Is4():
		return pdrError(p.ID, "UE address %v is not IPv4", p.PDI.UE)
	case p.PDI.UE6.IsValid() && !isUEPrefix(p.PDI.UE6):
		return pdrError(p.ID, "UE prefix %v is no global unicast IPv6 prefix of 16 bits or more", p.PDI.UE6)
	case len(p.PDI.Framed) > 0 && !p.PDI.HasUE():
		return pdrError(p.ID, "a framed route needs a UE IP Address")
	case slices.ContainsFunc(p.PDI.Framed, func(f netip.Prefix) bool { return !isFramed(f) }):
		return pdrError(p.ID, "framed routes %v: IPv4 prefixes and global unicast IPv6 prefixes of 16 bits or more are taken", p.PDI.Framed)
	case p.PDI.QFIs.Has(0):
		return pdrError(p.ID, "QFI 0 is no QoS flow")
	case p.PDI.HasTEID && p.Removal.OnN6():
		return pdrError(p.ID, "a packet with a TEID comes by GTP-U, and not in %v", p.Removal)
	case !p.PDI.HasTEID && p.PDI.QFIs != 0:
		return pdrError(p.ID, "a packet from core without a tunnel has no QFI to match")
	}
	return nil
}

// isUEPrefix reports whether a UE can have the prefix.
func isUEPrefix(p netip.Prefix) bool {
	a := p.Addr()
	return a.Is6() && !a.Is4In6() && a.Zone() == "" && p.Bits() >= 16 && p == p.Masked() && a.IsGlobalUnicast()
}

// isFramed reports whether a network may be behind a UE.
func isFramed(p netip.Prefix) bool {
	if p.Addr().Is4() {
		return p.Bits() > 0 && p == p.Masked() && !p.Addr().IsMulticast() && !p.Addr().IsLoopback()
	}
	return isUEPrefix(p)
}

// validateWay checks that what the PDR takes off and what the FAR puts on make
// one of the ways through the UPF: out of a tunnel, into one, or from one into another
// (N9, and forwarding between gNBs).
func (p *PDR) validateWay(far *FAR) error {
	switch {
	case !p.PDI.HasTEID && far.Outer == nil && !far.Unaddressed():
		return pdrError(p.ID, "forwarding from %v to %v without a tunnel is not supported", p.PDI.Source, far.Destination)
	case far.Outer != nil && far.Outer.Kind.OnN6() && p.PDI.Source != Access:
		return pdrError(p.ID, "a packet from %v does not leave in a tunnel on N6", p.PDI.Source)
	case p.PDI.HasTEID && !p.RemoveOuterHeader:
		return pdrError(p.ID, "a packet from a tunnel needs an Outer Header Removal")
	case !p.PDI.HasTEID && p.RemoveOuterHeader && !p.Removal.OnN6():
		return pdrError(p.ID, "a packet from core without a tunnel has no outer header to remove")
	}
	return nil
}
