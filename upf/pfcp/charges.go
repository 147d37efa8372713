package pfcp

import "net/netip"

// charges are what the associations of each address have. The lock of associations guards it.
type charges map[netip.Addr]*charge

// charge counts what the associations of one address have.
type charge struct{ associations, sessions, filters int }

// of returns the address's charge.
func (l charges) of(address netip.Addr) *charge {
	u := l[address]
	if u == nil {
		u = &charge{}
		l[address] = u
	}
	return u
}

// forgetUnused drops the charge of an address that has nothing left.
func (l charges) forgetUnused(address netip.Addr) {
	if u := l[address]; u != nil && *u == (charge{}) {
		delete(l, address)
	}
}

// fits reports whether an address may have more sessions and filters.
func (l charges) fits(most Limits, at netip.Addr, sessions, filters int) bool {
	has := l[at]
	if has == nil {
		has = &charge{}
	}
	return (most.Sessions <= 0 || has.sessions+sessions <= most.Sessions) &&
		(filters == 0 || has.filters+filters <= most.Filters)
}

// enter adds a session to its association.
func (l charges) enter(one *pduSession) {
	one.association.sessions.add(one)
	u := l.of(one.association.peer.Addr())
	u.sessions++
	u.filters += int(one.charged)
}

// leave takes a session from its association. The session's lock is held.
func (l charges) leave(one *pduSession) {
	at := one.association.peer.Addr()
	one.association.sessions.remove(one)
	u := l.of(at)
	u.sessions--
	u.filters -= int(one.charged)
	l.forgetUnused(at)
}

// recharge replaces what a session is charged for. The session's lock is held.
func (l charges) recharge(one *pduSession, n int) {
	at := one.association.peer.Addr()
	l.of(at).filters += n - int(one.charged)
	one.charged = int32(n)
	l.forgetUnused(at)
}
