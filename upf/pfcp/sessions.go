package pfcp

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/upflab/upflab/upf/session"
)

// Info is a session as it is now. Its rules are a copy.
type Info struct {
	SEID, CPSEID uint64
	Node         string         // of the association
	Peer         netip.AddrPort // the same
	Rules        *session.Rules
	Held         int // packets that are buffered
}

// Sessions gives the sessions in the order of their SEIDs to f, until that returns
// false. Those that come or go meanwhile may be among them or not.
func (s *Server) Sessions(f func(Info) bool) {
	s.mu.Lock()
	all := slices.Sorted(maps.Keys(s.sessions))
	s.mu.Unlock()
	for _, seid := range all {
		if info, ok := s.Session(seid); ok && !f(info) {
			return
		}
	}
}

// Session gives the session with the SEID, when there is one.
func (s *Server) Session(seid uint64) (Info, bool) {
	s.mu.Lock()
	one := s.sessions[seid]
	s.mu.Unlock()
	if one == nil {
		return Info{}, false
	}
	one.mu.Lock()
	defer one.mu.Unlock()
	rules := one.rules.Rules()
	if rules == nil {
		return Info{}, false
	}
	held := 0
	if one.extras != nil {
		held = len(one.buffer.packets)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	a := one.association
	return Info{SEID: one.up, CPSEID: one.cp, Node: a.node, Peer: a.peer, Rules: rules, Held: held}, true
}
