package change

import (
	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// OrdinaryEntries is what a session has in a datapath's tables that limits.sessions stands for: IPv4 and
// IPv6, uplink and downlink.
const OrdinaryEntries = 4

// FiltersOf counts what rules take in a datapath's tables beyond an ordinary session: SDF filters and
// their ranges of ports, by each TEID and UE network.
func FiltersOf(r *session.Rules) int {
	if ordinary(r) {
		return 0
	}
	chains, err := plan.Of(r)
	if err != nil {
		return 0 // the datapath refuses them, too
	}
	n := 0
	for _, c := range chains {
		n += max(1, len(c.Rows))
	}
	return max(0, n-OrdinaryEntries)
}

// ordinary reports whether two PDRs without filters are all, as of most sessions.
func ordinary(r *session.Rules) bool {
	for i := range r.PDRs {
		if d := &r.PDRs[i].PDI; len(d.Filters)+len(d.Framed) > 0 {
			return false
		}
	}
	return len(r.PDRs) <= 2
}
