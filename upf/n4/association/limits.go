package association

import (
	"cmp"
	"net/netip"
	"time"
)

// Heartbeat says whether and how CP functions are asked if they live (TS
// 29.244 clause 6.2.2). Their own requests are always answered.
type Heartbeat struct {
	Interval time.Duration // between two requests; 0: none are sent
	T1       time.Duration // until a request is sent again; 0: 1 s
	N1       int           // how often it is sent again; 0: 3
	Port     uint16        // of the CP function; 0: 8805
}

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
	// Filters is how much the rules of the sessions of one address may take together in a
	// datapath's tables beyond an ordinary session each, as the rules of a session count them:
	// Config.MaxSessions or, when it is 0, 65536; 1024 at least.
	Filters int
}

// Limits that are not configured.
const (
	// MaxAssociations bounds those of all addresses.
	MaxAssociations = 1024
	// leastFilters is how many filters the sessions of one address may have where few
	// sessions are expected.
	leastFilters = 1024
)

func (l Limits) withDefaults(maxSessions int) Limits {
	if l.Rules <= 0 {
		l.Rules = 256
	}
	if l.Associations <= 0 {
		l.Associations = 16
	}
	if l.Filters <= 0 {
		l.Filters = max(cmp.Or(maxSessions, 1<<16), leastFilters)
	}
	return l
}

// Tunables are the parts of a Config that may change while sessions go on.
type Tunables struct {
	SMFs      []netip.Prefix
	Sets      []SMFSet
	Limits    Limits
	Heartbeat Heartbeat
}
