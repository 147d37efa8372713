package pfcp

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"
)

// setup is an Association Setup Request (TS 29.244 clauses 6.2.6, 7.4.4.1).
type setup struct {
	node     string
	recovery uint32
}

func decodeSetup(f fields) (procedure, error) {
	node, err := nodeIDOf(f)
	if err != nil {
		return nil, err
	}
	recovery, err := f.mustUint32(ie.RecoveryTimeStamp)
	return setup{node, recovery}, err
}

// run makes the association, anew when there is one: the sessions of the old
// one are deleted.
func (p setup) run(s *Server, from source) outcome {
	old, err := s.replaceable(p.node, from)
	if err == nil && old != nil {
		err = s.end(old)
	}
	if err == nil {
		err = s.associate(p, from)
	}
	if err != nil {
		return s.fail(from, err)
	}
	s.log.Info("PFCP association set up", "node", p.node, "peer", from.peer)
	return outcome{
		answer: s.accepted(from.Header, 0, s.recoveryIE(), s.features()),
		keep:   true, node: p.node,
	}
}

// replaceable gives the node's association, which ends now, or nil. Where another
// address has it, that one is asked by a heartbeat whether it lives; when it does
// not answer the association ends, and the CP function's next try succeeds.
func (s *Server) replaceable(node string, from source) (*association, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.mayAssociate(from.peer.Addr()) {
		s.counters.NotOwner++
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: from.peer.Addr().String() + " is not in n4.smfs"}
	}
	a := s.nodes[node]
	switch {
	case s.leaving:
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: "the UPF is about to stop"}
	case a == nil:
		return nil, nil
	case a.ending:
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: "the old association of node " + node + " is ending"}
	case !a.owns(from.peer.Addr()) && a.confirmed:
		a.challenged = true
		s.counters.NotOwner++
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: "node " + node + " is associated from " + a.peer.String()}
	}
	a.ending = true
	return a, nil
}

// associate enters an association when there is room for it.
func (s *Server) associate(p setup, from source) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.nodes[p.node] != nil {
		return &rejection{cause: ie.CauseRequestRejected, reason: "node " + p.node + " is being associated"}
	}
	if err := s.makeRoom(from.peer.Addr()); err != nil {
		return err
	}
	s.nodes[p.node] = &association{
		node: p.node, peer: from.peer, recovery: p.recovery, since: from.at,
	}
	s.usageOf(from.peer.Addr()).associations++
	s.keepAssociation(s.nodes[p.node])
	return nil
}

// makeRoom has the oldest association that nothing confirmed make way for one of
// the address: one of the address's own when that has as many as it may. The lock
// is held.
func (s *Server) makeRoom(address netip.Addr) error {
	of := netip.Addr{} // anybody's
	switch {
	case s.usageOf(address).associations >= s.cfg.Limits.Associations:
		of = address
	case len(s.nodes) < maxAssociations:
		return nil
	}
	old := s.oldestUnconfirmed(of)
	if old == nil {
		s.forgetUnused(address)
		return noResources("too many associations")
	}
	s.log.Info("an association without sessions makes way for another", "node", old.node, "peer", old.peer)
	s.remove(old)
	return nil
}

// oldestUnconfirmed looks at the associations of an address, or at all. Without
// sessions, now or ever, there is nothing to delete.
func (s *Server) oldestUnconfirmed(of netip.Addr) (oldest *association) {
	for _, a := range s.nodes {
		if a.confirmed || a.ending || len(a.sessions) > 0 || of.IsValid() && a.peer.Addr() != of {
			continue
		}
		if oldest == nil || a.since.Before(oldest.since) {
			oldest = a
		}
	}
	return oldest
}

// UP Function Features (clause 8.2.25).
const (
	featureDDND  = 1 << 1 // octet 5: a BAR's delay of notifications
	featureFTUP  = 1 << 4 // octet 5: the UP function can allocate F-TEIDs
	featurePFDM  = 1 << 5 // octet 5: PFD management
	featureEMPU  = 1 << 0 // octet 6: it sends End Markers
	featurePDIU  = 1 << 1 // octet 6: traffic endpoints
	featureUDBC  = 1 << 2 // octet 6: a BAR's suggested number of packets
	featureQUOAC = 1 << 3 // octet 6: FAR ID for Quota Action
	featureFRRT  = 1 << 5 // octet 6: framed routes
	featurePFDE  = 1 << 6 // octet 6: PFDs with several flow descriptions
	featureUEIP  = 1 << 2 // octet 7: the UP function can allocate UE addresses
	featureMNOP  = 1 << 4 // octet 7: packets are measured, too
	featureVTIME = 1 << 2 // octet 8: Quota Validity Time
)

// features are those that the datapath can carry out.
func (s *Server) features() *ie.IE {
	octets := []byte{featureFTUP | featurePFDM, featureEMPU | featurePDIU | featureFRRT | featurePFDE, 0, 0}
	if s.holder() != nil {
		octets[0] |= featureDDND
		octets[1] |= featureUDBC
	}
	if s.can.Measurer != nil {
		octets[1] |= featureQUOAC
		octets[2] |= featureMNOP
		octets[3] |= featureVTIME
	}
	if len(s.cfg.AllocateUE) > 0 {
		octets[2] |= featureUEIP
	}
	return ie.New(ie.UPFunctionFeatures, octets)
}

func (s *Server) recoveryIE() *ie.IE {
	return ie.NewUint32IE(ie.RecoveryTimeStamp, s.started)
}
