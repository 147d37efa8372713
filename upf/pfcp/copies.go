package pfcp

import (
	"bytes"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/forward"
	"github.com/upflab/upflab/upf/session"
)

// mayMarking reads a Transport Level Marking (TS 29.244 clause 8.2.12): a type of service
// and its mask (TS 29.212 clause 5.3.15). It is nil when absent, 0 when it is taken back.
func (f fields) mayMarking() (*uint8, error) {
	b, found, err := f.may(ie.TransportLevelMarking, 2)
	if err != nil || !found {
		return nil, err
	}
	marking := new(uint8)
	if len(b) > 0 {
		*marking = b[0] & b[1]
	}
	return marking, nil
}

// decodeCopies reads where copies go: (Update) Duplicating Parameters, which replace those
// that there were.
func (a *farChange) decodeCopies(f fields) error {
	for _, i := range f {
		if i.Type != ie.DuplicatingParameters && i.Type != ie.UpdateDuplicatingParameters {
			continue
		}
		one, err := a.decodeCopy(fields(i.ChildIEs))
		if err != nil {
			return err
		}
		a.copies = append(a.copies, one)
	}
	return nil
}

func (a *farChange) decodeCopy(f fields) (c session.Copy, err error) {
	to, err := f.must(ie.DestinationInterface, 1)
	if err != nil {
		return c, err
	}
	if to[0]&0x0f > destinationLI {
		return c, a.failure("a copy's destination interface %d is not supported", to[0]&0x0f)
	}
	if f.find(ie.ForwardingPolicy) != nil {
		return c, a.failure("a forwarding policy of copies is not supported")
	}
	outer := f.find(ie.OuterHeaderCreation)
	if outer == nil || len(outer.Payload) == 0 {
		return c, a.failure("copies need an Outer Header Creation")
	}
	if c.OuterHeader, err = a.tunnelOf(outer); err != nil {
		return c, err
	}
	if c.Kind.OnN6() {
		return c, a.failure("copies go into GTP-U tunnels, and not into %v", c.Kind)
	}
	marking, err := f.mayMarking()
	if marking != nil {
		c.Marking = *marking
	}
	return c, err
}

// destinationLI is LI function, the last Destination Interface that copies may have.
const destinationLI = 4

// checkCopies wants an address of the UPF's for the tunnels of copies.
func (s *Server) checkCopies(r *session.Rules) error {
	for i := range r.FARs {
		f := &r.FARs[i]
		for _, c := range f.Copies {
			if f.Action&session.Duplicate != 0 && c.Peer.Is6() && !s.cfg.N36.IsValid() {
				return ruleError(session.KindFAR, f.ID, "its copies go to %v, and the UPF has no IPv6 address on N3", c.Peer)
			}
		}
	}
	return nil
}

// copied is the datapath's: a copy to be sent. It is lost where too many wait.
func (s *Server) copied(h datapath.Held) {
	h.TPDU = bytes.Clone(h.TPDU)
	select {
	case s.copies <- h:
	default:
		s.count(func(c *Counters) { c.CopiesLost++ })
	}
}

// sendCopies sends one into each of the tunnels that its FAR gives.
func (s *Server) sendCopies(h datapath.Held) {
	s.mu.Lock()
	one := s.sessions[h.SEID]
	s.mu.Unlock()
	if one == nil || s.cfg.Forward == nil {
		return
	}
	one.mu.Lock()
	rules := one.rules.Rules()
	one.mu.Unlock()
	if rules == nil {
		return
	}
	pdr := rules.FindPDR(h.PDR)
	if pdr == nil {
		return
	}
	far := rules.FindFAR(pdr.FAR)
	if far.Action&session.Duplicate == 0 {
		return
	}
	qfi, rqi := markOf(rules, pdr, h)
	for _, c := range far.Copies {
		t := forward.Tunnel{TEID: c.TEID, QFI: qfi, RQI: rqi, Marking: c.Marking, Uplink: pdr.PDI.Source == session.Access}
		if c.Peer.Is4() {
			t.Peer = c.Peer.As4()
		} else {
			t.Peer6 = c.Peer
		}
		s.cfg.Forward(t, h.TPDU)
	}
	s.count(func(c *Counters) { c.CopiesSent += uint64(len(far.Copies)) })
}

// markOf is the QFI of a packet's copies: its QERs', as downlink, or its own.
func markOf(r *session.Rules, p *session.PDR, h datapath.Held) (qfi uint8, rqi bool) {
	for _, id := range p.QERs {
		if q := r.FindQER(id); q != nil && q.QFI != 0 && p.PDI.Source == session.Core {
			return q.QFI, q.RQI
		}
	}
	return h.QFI, h.RQI
}
