package forward

import (
	"fmt"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// claim turns a PDR into a rule and enters it, unless another has its key. The
// error is a *session.RuleError.
func (t *Table) claim(r *session.Rules, p *session.PDR) error {
	if p.PDI.Source == session.Access {
		return t.claimTEID(r, p)
	}
	return t.claimUE(r, p)
}

func (t *Table) claimTEID(r *session.Rules, p *session.PDR) error {
	if p.PDI.TEID == 0 {
		return refuse(p, "TEID 0 is for signalling: give 1 or above")
	}
	if had := t.uplink[p.PDI.TEID]; had != nil {
		return refuse(p, "TEID %#x is that of PDR %d of session %#x", p.PDI.TEID, had.pdr, had.seid)
	}
	rule := &uplinkRule{owner: owner{r.SEID, p.ID}, verdict: verdictOf(r, p), qfi: p.PDI.QFI}
	if p.PDI.UE.IsValid() {
		rule.ue = p.PDI.UE.As4()
	}
	t.uplink[p.PDI.TEID] = rule
	return nil
}

func (t *Table) claimUE(r *session.Rules, p *session.PDR) error {
	ue := p.PDI.UE.As4()
	switch had := t.downlink[ue]; {
	case p.PDI.QFI != 0:
		return refuse(p, "a packet from core has no QFI to match")
	case had != nil:
		return refuse(p, "UE address %v is that of PDR %d of session %#x", p.PDI.UE, had.pdr, had.seid)
	case !t.inPool(ue):
		return refuse(p, "UE address %v is in no pool: the kernel would forward its packets, too", p.PDI.UE)
	}
	rule := &Tunnel{owner: owner{r.SEID, p.ID}, verdict: verdictOf(r, p)}
	if rule.verdict == Forward {
		outer := r.FindFAR(p.FAR).Outer
		rule.Peer, rule.TEID, rule.QFI = outer.Peer.As4(), outer.TEID, qfiOf(r, p)
	}
	t.downlink[ue] = rule
	return nil
}

func verdictOf(r *session.Rules, p *session.PDR) Verdict {
	if r.FindFAR(p.FAR).Action&session.Forward == 0 {
		return Drop(datapath.ReasonFARDrop)
	}
	for _, id := range p.QERs {
		q := r.FindQER(id)
		open := q.GateUL
		if p.PDI.Source == session.Core {
			open = q.GateDL
		}
		if !open {
			return Drop(datapath.ReasonGateClosed)
		}
	}
	return Forward
}

// qfiOf is the QFI that the packet is marked with, 0 for none.
func qfiOf(r *session.Rules, p *session.PDR) uint8 {
	for _, id := range p.QERs {
		if q := r.FindQER(id); q.QFI != 0 {
			return q.QFI
		}
	}
	return 0
}

func refuse(p *session.PDR, format string, args ...any) error {
	return &session.RuleError{Kind: session.KindPDR, ID: uint32(p.ID), Reason: fmt.Sprintf(format, args...)}
}
