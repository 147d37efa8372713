package xdp

import (
	"encoding/binary"
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// key is what one of the two rule maps is looked up by.
type key struct {
	source session.Interface
	id     [4]byte // TEID or UE address, in network order
}

func (k key) String() string {
	if k.source == session.Access {
		return fmt.Sprintf("TEID %#x", binary.BigEndian.Uint32(k.id[:]))
	}
	return fmt.Sprintf("UE address %d.%d.%d.%d", k.id[0], k.id[1], k.id[2], k.id[3])
}

// entry is a PDR compiled: value is an *upfUlRule or an *upfDlRule, whose slot
// in the table of peers comes later.
type entry struct {
	seid  uint64
	pdr   uint16
	key   key
	peer  netip.Addr // of a downlink rule that forwards
	value any
}

// compile turns a session's rules into map entries, or says which rule the
// datapath cannot carry out (a *session.RuleError).
func compile(r *session.Rules) ([]*entry, error) {
	if err := r.Validate(session.Basic); err != nil {
		return nil, err
	}
	entries := make([]*entry, 0, len(r.PDRs))
	for i := range r.PDRs {
		e, err := compilePDR(r, &r.PDRs[i])
		if err != nil {
			return nil, err
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func compilePDR(r *session.Rules, p *session.PDR) (*entry, error) {
	e := &entry{seid: r.SEID, pdr: p.ID}
	if p.PDI.Source == session.Access {
		return e, compileUplink(e, r, p)
	}
	return e, compileDownlink(e, r, p)
}

func compileUplink(e *entry, r *session.Rules, p *session.PDR) error {
	if p.PDI.TEID == 0 {
		return refuse(p, "TEID 0 is for signalling: give 1 or above")
	}
	e.key.source = session.Access
	binary.BigEndian.PutUint32(e.key.id[:], p.PDI.TEID)
	rule := &upfUlRule{Verdict: verdict(r, p), Qfi: p.PDI.QFI}
	if p.PDI.UE.IsValid() {
		rule.Ue = wire(p.PDI.UE)
	}
	e.value = rule
	return nil
}

func compileDownlink(e *entry, r *session.Rules, p *session.PDR) error {
	if p.PDI.QFI != 0 {
		return refuse(p, "a packet from core has no QFI to match")
	}
	e.key = key{session.Core, p.PDI.UE.As4()}
	rule := &upfDlRule{Verdict: verdict(r, p)}
	if rule.Verdict == verdictForward {
		outer := r.FindFAR(p.FAR).Outer
		e.peer = outer.Peer
		rule.Qfi = qfiOf(r, p)
		rule.Teid = binary.NativeEndian.Uint32(binary.BigEndian.AppendUint32(nil, outer.TEID))
	}
	e.value = rule
	return nil
}

// The values of VERDICT_FORWARD and VERDICT_DROP in bpf/rules.h.
const (
	verdictForward = 0
	verdictDrop    = 1
)

func verdict(r *session.Rules, p *session.PDR) uint8 {
	if r.FindFAR(p.FAR).Action&session.Forward == 0 {
		return verdictDrop + uint8(datapath.ReasonFARDrop)
	}
	for _, id := range p.QERs {
		q := r.FindQER(id)
		open := q.GateUL
		if p.PDI.Source == session.Core {
			open = q.GateDL
		}
		if !open {
			return verdictDrop + uint8(datapath.ReasonGateClosed)
		}
	}
	return verdictForward
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
	return &session.RuleError{
		Kind: session.KindPDR, ID: uint32(p.ID), Reason: fmt.Sprintf(format, args...),
	}
}
