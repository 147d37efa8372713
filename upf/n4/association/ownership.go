package association

import (
	"cmp"
	"maps"
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// Admit enters a session into the association of its CP function, when there is room for it, and the address in its
// CP F-SEID, which may be invalid, may have one.
// enter makes the session.
func (l *ownership) Admit(node string, from request.Source, cp netip.Addr, enter func(*Association) (*Session, error)) (*Session, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, err := l.owned(node, from)
	if err != nil {
		return nil, err
	}
	switch {
	case l.leaving:
		return nil, stopping()
	case !l.Sources.fits(l.Settings.Limits, a.Peer.Addr(), 1, 0):
		return nil, request.NoResources("limits.sessions is reached for this address")
	}
	if err := l.checkCP(a, cp); err != nil {
		return nil, err
	}
	one, err := enter(a)
	if err == nil {
		l.Sources.enter(one)
	}
	return one, err
}

func noSessionsLeft() error {
	return request.NoResources("limits.sessions or limits.filters is reached for this address")
}

// Readmit enters a session that an earlier process kept.
func (l *ownership) Readmit(one *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Sources.enter(one)
}

// Discharge is the opposite of charge. The session's lock is held.
func (l *ownership) Discharge(one *Session) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.Sources.leave(one)
}

// Confirm notes that an association had a session.
func (l *ownership) Confirm(a *Association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.confirmed = true
}

// Recipient is the owner of a session's CP F-SEID, by its address where that is valid, and who gets its reports: the
// same, or another SMF of the set when that one is silent.
func (l *ownership) Recipient(one *Session, at netip.Addr) (owner, to netip.Addr, inSet bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := one.Association
	if !at.IsValid() {
		at = a.Peer.Addr()
	}
	if slices.Contains(a.silent, at) {
		return at, a.contact(), true
	}
	return at, at, a.Features != 0
}

// Alternatives are where a report goes that the session's SMF does not answer: other addresses of its association and
// the other associations of its set, but silent ones.
func (l *ownership) Alternatives(one *Session) (list []netip.Addr) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := one.Association
	list = append(append(list, a.Others...), a.Peer.Addr())
	for _, m := range l.members(a) {
		list = append(list, m.contact())
	}
	return slices.DeleteFunc(list, func(at netip.Addr) bool { return !at.IsValid() || slices.Contains(a.silent, at) })
}

// HandTo makes the session that of the set's association at the address, where there is another one. The session's lock
// is held.
func (l *ownership) HandTo(one *Session, at netip.Addr) {
	l.mu.Lock()
	a := one.Association
	to := a
	if !a.Owns(at) && !slices.Contains(a.Others, at) {
		to = cmp.Or(l.member(a, at), a)
	}
	l.mu.Unlock()
	l.Hand(one, to)
}

// Successor is the association that has the session after a modification: the same one, unless the request has the Node
// ID of another SMF of the set (TS 29.244 table 7.5.4.1-1). The session's lock is held.
func (l *ownership) Successor(one *Session, p request.Modification, from request.Source) (*Association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, at := one.Association, from.Peer.Addr()
	if p.CP != nil {
		if err := l.checkCP(a, p.CP.Of(l.six)); err != nil {
			return nil, err
		}
	}
	if p.Node == "" {
		// Reports would go to another SMF than the one that has the session.
		if p.CP != nil && !a.Owns(at) && !slices.Contains(a.Others, at) && at != addressIn(one.CPAddress) && l.member(a, at) != nil {
			return nil, request.MissingConditional(ie.NodeID)
		}
		return a, nil
	}
	to, err := l.owned(l.meant(p.Node, from), from)
	switch {
	case err != nil || to == a:
		return to, err
	case a.Set == "" || to.Set != a.Set:
		return nil, &request.Rejection{Cause: ie.CauseRequestRejected, Reason: "node " + to.Node + " is not in the SMF set of node " + a.Node}
	case !l.hasRoom(to, one):
		return nil, noSessionsLeft()
	}
	return to, nil
}

// hasRoom reports whether the session may become the association's. The lock is held.
func (l *table) hasRoom(to *Association, one *Session) bool {
	at := to.Peer.Addr()
	return at == one.Association.Peer.Addr() || l.Sources.fits(l.Settings.Limits, at, 1, int(one.Charged))
}

// Hand makes the session another association's, unless that has ended meanwhile: then it stays where it is. The session's
// lock is held.
func (l *ownership) Hand(one *Session, to *Association) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if to == one.Association || to.Ending || l.Nodes[to.Node] != to || !l.hasRoom(to, one) {
		return to == one.Association
	}
	l.move(one, to)
	return true
}

// move makes the session another association's. Applications that the other has no filters of come with it, so that its
// packets are treated as before. The lock, and the session's, are held.
func (l *table) move(one *Session, to *Association) {
	l.inherit(to, one.Association.applications)
	l.Sources.leave(one)
	l.sessions.setAssociation(one, to)
	l.Sources.enter(one)
	to.confirmed = true
}

// inherit gives an association the applications that it does not have, as far as it may have more. The lock is held.
func (l *table) inherit(to *Association, applications map[string][]session.Filter) {
	var all map[string][]session.Filter
	n := request.CountFlows(to.applications)
	for id, filters := range applications {
		if _, has := to.applications[id]; has {
			continue
		}
		if all == nil {
			all = map[string][]session.Filter{}
			maps.Copy(all, to.applications)
		}
		if n += len(filters); n > request.MaxFlows {
			break
		}
		all[id] = filters
	}
	if all != nil {
		to.applications = all
		l.kept.association(to)
	}
}

// maxSilent is how many silent addresses are kept of an association: those of its own set and of the last ones that it
// has sessions of.
const maxSilent = 4 * MaxOthers

// Heir is the association that goes on with the sessions of a lost one, nil when its SMF is the last of its set.
func (l *ownership) Heir(a *Association) *Association {
	l.mu.Lock()
	defer l.mu.Unlock()
	members := l.members(a)
	if len(members) == 0 {
		return nil
	}
	heir := members[0]
	silent := slices.Clone(heir.silent)
	for _, at := range append([]netip.Addr{a.Peer.Addr()}, a.silent...) {
		if at != heir.Peer.Addr() && !slices.Contains(silent, at) {
			silent = append(silent, at)
		}
	}
	heir.silent = silent[max(0, len(silent)-maxSilent):]
	l.kept.association(heir)
	return heir
}

// MoveTo moves a session of an association to another one, unless that has no room or another SMF has taken the session
// meanwhile, and reports whether it did. The session's lock is held.
func (l *ownership) MoveTo(one *Session, from, to *Association) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	moves := one.Association == from && l.hasRoom(to, one)
	if moves {
		l.move(one, to)
	}
	return moves
}

// Bequeathed lists by association, in the order in which they are locked, the sessions that others of the set went on
// with: their CP F-SEID is still of the address, or of another one that a setup from there names as retained. They are
// those that the setup retains, or the others.
func (l *ownership) Bequeathed(p request.Setup, at netip.Addr, retained bool) map[*Association][]*Session {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, set := map[*Association][]*Session{}, l.setOf(at)
	if set == "" {
		return list
	}
	for _, heir := range l.Nodes {
		if heir.Set != set || heir.Node == p.Node || heir.Owns(at) {
			continue
		}
		for _, one := range heir.Sessions {
			_, owner := l.sessions.CPFSEID(one)
			stays := p.Retain != nil && p.Retain.Retains(owner)
			its := owner == at || stays && len(p.Retain.Entities) > 0 && !heir.Owns(owner)
			if its && stays == retained {
				list[heir] = append(list[heir], one)
			}
		}
		slices.SortFunc(list[heir], bySEID)
	}
	return list
}

// Usable ends the time in which an association takes the sessions of the old one.
func (l *Associations) Usable(a *Association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.Ending = false
}

// Succeed enters an association in the place of an older one of the node, whose sessions it has room for. Until it has
// them it is as one that ends: nobody else ends it, and it gets no new ones.
func (l *Associations) Succeed(old *Association, p request.Setup, from request.Source) (*Association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := from.Peer.Addr()
	if at != old.Peer.Addr() {
		if err := l.makeRoom(at); err != nil {
			return nil, err
		}
		filters := 0
		for _, one := range old.Sessions {
			filters += int(one.Charged)
		}
		if !l.Sources.fits(l.Settings.Limits, at, len(old.Sessions), filters) {
			l.Sources.forgetUnused(at)
			return nil, noSessionsLeft()
		}
	}
	a := l.enter(p, from)
	a.Ending, a.confirmed, a.remains, a.applications = true, true, old.remains, old.applications
	l.Sources.Of(old.Peer.Addr()).Associations--
	l.Sources.forgetUnused(old.Peer.Addr())
	l.kept.association(a)
	return a, nil
}

// ofPeer lists the association's sessions but those that another SMF of the set has, by their CP F-SEID: a restart of the
// peer does not affect them. An SMF of a set is to keep its Recovery Time Stamp when it restarts (TS 23.527), so a new
// one says that its own sessions are lost. The lock is held.
func (l *table) ofPeer(a *Association) []*Session {
	if a.Features&request.CPSSET == 0 {
		return a.Sessions
	}
	return slices.DeleteFunc(slices.Clone(a.Sessions), func(one *Session) bool {
		_, at := l.sessions.CPFSEID(one)
		return slices.Contains(a.Others, at)
	})
}
