package pfcp

import (
	"fmt"

	"github.com/upflab/upflab/upf/datapath/plan"
	"github.com/upflab/upflab/upf/session"
)

// ordinaryEntries is what a session has in a datapath's tables that limits.sessions stands for: IPv4 and
// IPv6, uplink and downlink.
const ordinaryEntries = 4

// filtersOf counts what rules take in a datapath's tables beyond an ordinary session: SDF filters and
// their ranges of ports, by each TEID and UE network.
func filtersOf(r *session.Rules) int {
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
	return max(0, n-ordinaryEntries)
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

// reserveFilters charges a session for the filters of rules that it is to have, and for no fewer than it
// has. The session's lock is held.
func (l *ownership) reserveFilters(one *pduSession, n int) error {
	if n <= int(one.charged) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := one.association.peer.Addr()
	has, limit := l.sources.of(at).filters, l.settings.Limits.Filters
	if more := n - int(one.charged); has+more > limit {
		return noResources(fmt.Sprintf("the sessions of %v would have %d filters, limits.filters is %d", at, has+more, limit))
	}
	l.sources.recharge(one, n)
	return nil
}

// settleFilters charges a session for the filters that it has now, no more than it was charged for. Its
// lock is held.
func (l *ownership) settleFilters(one *pduSession, n int) {
	if n == int(one.charged) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sources.recharge(one, n)
}
