package pfcp

import "net/netip"

// Tunables are the parts of a Config that may change while sessions go on.
type Tunables struct {
	SMFs      []netip.Prefix
	Limits    Limits
	Heartbeat Heartbeat
}

// Reload replaces the tunables. What is there stays, also where it is more than the new
// limits allow, and an association of an address that is not in SMFs any more.
func (s *Server) Reload(t Tunables) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cfg.SMFs, s.cfg.Limits, s.cfg.Heartbeat = t.SMFs, t.Limits.withDefaults(), t.Heartbeat.withDefaults()
}

func (s *Server) limits() Limits {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cfg.Limits
}
