package pfcp

import (
	"net/netip"

	"github.com/wmnsk/go-pfcp/ie"
)

// owns reports whether messages from the address may act for the association: they
// come from where it was set up, or from the address that is its Node ID.
func (a *association) owns(from netip.Addr) bool {
	return from == a.peer.Addr() || from.IsValid() && from.String() == a.node
}

// owns reports whether messages from the address may act for the session: its
// association's, and those from the address in the CP F-SEID.
func (p *pduSession) owns(from netip.Addr) bool {
	return p.association.owns(from) || from.IsValid() && from == address4(p.cpAddress)
}

// mayAssociate reports whether the address is one of the configured SMFs.
func (s *Server) mayAssociate(from netip.Addr) bool {
	for _, p := range s.cfg.SMFs {
		if p.Contains(from) {
			return true
		}
	}
	for _, c := range s.cfg.Connect {
		if c.Addr() == from {
			return true
		}
	}
	return len(s.cfg.SMFs) == 0
}

// owned finds the association of a node for its owner. To anybody else there is
// none. The lock is held.
func (s *Server) owned(node string, from source) (*association, error) {
	a := s.nodes[node]
	switch {
	case a == nil || a.ending:
		return nil, notAssociated(node)
	case !a.owns(from.peer.Addr()):
		s.counters.NotOwner++
		return nil, notAssociated(node)
	}
	return a, nil
}

// named finds the association that a release or an update is about. A Node ID of
// 0.0.0.0 or :: names nobody; some CP functions send it: it is the sender's own
// association, where its address has one alone. The lock is held.
func (s *Server) named(node string, from source) (*association, error) {
	if a, err := netip.ParseAddr(node); err == nil && a.IsUnspecified() && s.nodes[node] == nil {
		if own := s.at(from.peer); len(own) == 1 {
			node = own[0].node
		}
	}
	return s.owned(node, from)
}

// sender is the association of who sent a message that has no Node ID, where its address
// has one alone.
func (s *Server) sender(from source) (*association, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.at(from.peer)
	if len(own) != 1 || own[0].ending {
		return nil, notAssociated("at " + from.peer.String())
	}
	return own[0], nil
}

// find gives the session that a message is about to its owner, locked. To anybody
// else there is none.
func (s *Server) find(from source) (*pduSession, error) {
	s.mu.Lock()
	one := s.sessions[from.SEID]
	if one != nil && !one.owns(from.peer.Addr()) {
		s.counters.NotOwner++
		one = nil
	}
	s.mu.Unlock()
	if one == nil {
		return nil, sessionNotFound()
	}
	one.mu.Lock()
	if one.rules.IsZero() { // it ended meanwhile, or never began
		one.mu.Unlock()
		return nil, sessionNotFound()
	}
	return one, nil
}

func notAssociated(node string) error {
	return &rejection{cause: ie.CauseNoEstablishedPFCPAssociation, reason: "no association with node " + node}
}

func sessionNotFound() error {
	return &rejection{cause: ie.CauseSessionContextNotFound}
}
