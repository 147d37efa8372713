package pfcp

import "net/netip"

// Limits bound what peers can make the server keep. 0 is the default.
type Limits struct {
	// Rules is how many PDRs, how many FARs and how many QERs a session may have:
	// 256.
	Rules int
	// Associations is how many Node IDs one address may have associations for: 16.
	Associations int
	// Sessions is how many sessions the associations of one address may have
	// together: Config.MaxSessions.
	Sessions int
}

// Limits that are not configured.
const (
	// maxAssociations bounds those of all addresses.
	maxAssociations = 1024
	// maxReferences is how many QERs, and how many URRs, a PDR may name.
	maxReferences = 16
	// maxNodeID is the length of a domain name.
	maxNodeID = 253
)

func (l Limits) withDefaults() Limits {
	if l.Rules <= 0 {
		l.Rules = 256
	}
	if l.Associations <= 0 {
		l.Associations = 16
	}
	return l
}

// usage is what the associations of one address have.
type usage struct{ associations, sessions int }

// usageOf is the address's usage. The lock is held.
func (s *Server) usageOf(address netip.Addr) *usage {
	u := s.sources[address]
	if u == nil {
		u = &usage{}
		s.sources[address] = u
	}
	return u
}

// forgetUnused drops the usage of an address that has nothing left. The lock is
// held.
func (s *Server) forgetUnused(address netip.Addr) {
	if u := s.sources[address]; u != nil && *u == (usage{}) {
		delete(s.sources, address)
	}
}
