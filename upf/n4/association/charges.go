package association

import (
	"fmt"
	"net/netip"

	"github.com/upflab/upflab/upf/n4/request"
)

// charges are what the associations of each address have. The lock of associations guards it.
type charges map[netip.Addr]*Charge

// Charge counts what the associations of one address have.
type Charge struct{ Associations, Sessions, Filters int }

// Of returns the address's charge.
func (l charges) Of(address netip.Addr) *Charge {
	u := l[address]
	if u == nil {
		u = &Charge{}
		l[address] = u
	}
	return u
}

// forgetUnused drops the charge of an address that has nothing left.
func (l charges) forgetUnused(address netip.Addr) {
	if u := l[address]; u != nil && *u == (Charge{}) {
		delete(l, address)
	}
}

// fits reports whether an address may have more sessions and filters.
func (l charges) fits(most Limits, at netip.Addr, sessions, filters int) bool {
	has := l[at]
	if has == nil {
		has = &Charge{}
	}
	return (most.Sessions <= 0 || has.Sessions+sessions <= most.Sessions) &&
		(filters == 0 || has.Filters+filters <= most.Filters)
}

// enter adds a session to its association.
func (l charges) enter(one *Session) {
	one.Association.Sessions.add(one)
	u := l.Of(one.Association.Peer.Addr())
	u.Sessions++
	u.Filters += int(one.Charged)
}

// leave takes a session from its association. The session's lock is held.
func (l charges) leave(one *Session) {
	at := one.Association.Peer.Addr()
	one.Association.Sessions.remove(one)
	u := l.Of(at)
	u.Sessions--
	u.Filters -= int(one.Charged)
	l.forgetUnused(at)
}

// recharge replaces what a session is charged for. The session's lock is held.
func (l charges) recharge(one *Session, n int) {
	at := one.Association.Peer.Addr()
	l.Of(at).Filters += n - int(one.Charged)
	one.Charged = int32(n)
	l.forgetUnused(at)
}

// ReserveFilters charges a session for the filters of rules that it is to have, and for no fewer than it
// has. The session's lock is held.
func (l *ownership) ReserveFilters(one *Session, n int) error {
	if n <= int(one.Charged) {
		return nil
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	at := one.Association.Peer.Addr()
	has, limit := l.Sources.Of(at).Filters, l.Settings.Limits.Filters
	if more := n - int(one.Charged); has+more > limit {
		return request.NoResources(fmt.Sprintf("the sessions of %v would have %d filters, limits.filters is %d", at, has+more, limit))
	}
	l.Sources.recharge(one, n)
	return nil
}

// SettleFilters charges a session for the filters that it has now, no more than it was charged for. Its
// lock is held.
func (l *ownership) SettleFilters(one *Session, n int) {
	if n == int(one.Charged) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Sources.recharge(one, n)
}
