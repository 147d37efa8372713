package pfcp

import (
	"maps"
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/session"
)

// successor is the association that has the session after a modification: the same one, unless the request has the Node
// ID of another SMF of the set (TS 29.244 table 7.5.4.1-1). The session's lock is held.
func (l *ownership) successor(one *pduSession, p modification, from source) (*association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a, at := one.association, from.peer.Addr()
	if p.cp != nil {
		if err := l.checkCP(a, p.cp.of(l.six)); err != nil {
			return nil, err
		}
	}
	if p.node == "" {
		// Reports would go to another SMF than the one that has the session.
		if p.cp != nil && !a.owns(at) && !slices.Contains(a.others, at) && at != addressIn(one.cpAddress) && l.member(a, at) != nil {
			return nil, missingConditional(ie.NodeID)
		}
		return a, nil
	}
	to, err := l.owned(l.meant(p.node, from), from)
	switch {
	case err != nil || to == a:
		return to, err
	case a.set == "" || to.set != a.set:
		return nil, &rejection{cause: ie.CauseRequestRejected, reason: "node " + to.node + " is not in the SMF set of node " + a.node}
	case !l.hasRoom(to, one):
		return nil, noSessionsLeft()
	}
	return to, nil
}

// hasRoom reports whether the session may become the association's. The lock is held.
func (l *table) hasRoom(to *association, one *pduSession) bool {
	at := to.peer.Addr()
	return at == one.association.peer.Addr() || l.sources.fits(l.settings.Limits, at, 1, int(one.charged))
}

// hand makes the session another association's, unless that has ended meanwhile: then it stays where it is. The session's
// lock is held.
func (l *ownership) hand(one *pduSession, to *association) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if to == one.association || to.ending || l.nodes[to.node] != to || !l.hasRoom(to, one) {
		return to == one.association
	}
	l.move(one, to)
	return true
}

// move makes the session another association's. Applications that the other has no filters of come with it, so that its
// packets are treated as before. The lock, and the session's, are held.
func (l *table) move(one *pduSession, to *association) {
	l.inherit(to, one.association.applications)
	l.sources.leave(one)
	l.sessions.setAssociation(one, to)
	l.sources.enter(one)
	to.confirmed = true
}

// inherit gives an association the applications that it does not have, as far as it may have more. The lock is held.
func (l *table) inherit(to *association, applications map[string][]session.Filter) {
	var all map[string][]session.Filter
	n := countFlows(to.applications)
	for id, filters := range applications {
		if _, has := to.applications[id]; has {
			continue
		}
		if all == nil {
			all = map[string][]session.Filter{}
			maps.Copy(all, to.applications)
		}
		if n += len(filters); n > maxFlows {
			break
		}
		all[id] = filters
	}
	if all != nil {
		to.applications = all
		l.kept.association(to)
	}
}

// bequeath gives the sessions of an association whose SMF does not answer to another SMF of its set, as far as there is
// one with room. What the lost one would be told goes to that one from then on. TS 29.244 clause 5.22.3 has another SMF
// take a session over when it is told of it, and does not say whose it is until then: here it is that of the SMF that
// would be told.
func (s *nodes) bequeath(a *association) {
	sessions := s.associations.ownership.sessionsOf(a)
	heir := s.associations.ownership.heir(a)
	if heir == nil {
		return
	}
	n := 0
	for _, one := range sessions {
		if one.begun() == nil {
			continue
		}
		if s.associations.ownership.hand(one, heir) {
			s.kept.session(one)
			n++
		}
		one.Unlock()
	}
	s.log.Warn("another SMF of the set has the sessions of the lost one", "node", a.node, "heir", heir.node, "sessions", n)
}

// maxSilent is how many silent addresses are kept of an association: those of its own set and of the last ones that it
// has sessions of.
const maxSilent = 4 * maxOthers

// heir is the association that goes on with the sessions of a lost one, nil when its SMF is the last of its set.
func (l *ownership) heir(a *association) *association {
	l.mu.Lock()
	defer l.mu.Unlock()
	members := l.members(a)
	if len(members) == 0 {
		return nil
	}
	heir := members[0]
	silent := slices.Clone(heir.silent)
	for _, at := range append([]netip.Addr{a.peer.Addr()}, a.silent...) {
		if at != heir.peer.Addr() && !slices.Contains(silent, at) {
			silent = append(silent, at)
		}
	}
	heir.silent = silent[max(0, len(silent)-maxSilent):]
	l.kept.association(heir)
	return heir
}

// sessionsRetained is PSREI of PFCPASRsp-Flags (clause 8.2.134).
const sessionsRetained = 1 << 0

// retention is PFCP Session Retention Information (table 7.4.4.1-2): which sessions of an earlier association stay.
type retention struct {
	entities []families // in whose CP F-SEID they are; all sessions when there are none
}

func decodeRetention(f fields) (*retention, error) {
	i := f.find(ie.PFCPSessionRetentionInformation)
	if i == nil {
		return nil, nil
	}
	r := &retention{}
	for _, c := range i.ChildIEs {
		if c.Type != ie.CPPFCPEntityIPAddress {
			continue
		}
		entity, err := decodeFamilies(c)
		if err != nil {
			return nil, err
		}
		r.entities = append(r.entities, entity)
	}
	return r, nil
}

// retains reports whether a session stays whose CP F-SEID is of the address.
func (r *retention) retains(at netip.Addr) bool {
	return len(r.entities) == 0 || slices.ContainsFunc(r.entities, func(e families) bool { return at == e.four || at == e.six })
}

// renew makes the association anew, with the sessions of the old one, which is ending, that the request retains. On an
// error the old one is as usable as before.
func (s *nodes) renew(old *association, p setup, from source) error {
	gone := slices.DeleteFunc(s.associations.ownership.sessionsOf(old), func(one *pduSession) bool {
		_, at := s.sessions.cpFSEID(one)
		if !at.IsValid() {
			at = old.peer.Addr()
		}
		return p.retain.retains(at)
	})
	var a *association
	err := s.carry.drop(gone, old)
	if err == nil {
		a, err = s.associations.succeed(old, p, from)
	}
	if err != nil {
		s.associations.ended(old, err)
		return err
	}
	for _, one := range s.associations.ownership.sessionsOf(old) {
		if one.begun() != nil {
			s.associations.ownership.moveTo(one, old, a)
			one.Unlock()
		}
	}
	s.associations.usable(a)
	return nil
}

// moveTo moves a session of an association to another one, unless that has no room or another SMF has taken the session
// meanwhile, and reports whether it did. The session's lock is held.
func (l *ownership) moveTo(one *pduSession, from, to *association) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	moves := one.association == from && l.hasRoom(to, one)
	if moves {
		l.move(one, to)
	}
	return moves
}

// dropBequeathed deletes the sessions of an SMF that others of its set went on with and did not take over, when it sets an
// association up that does not retain them: it has forgotten them.
func (s *nodes) dropBequeathed(p setup, from source) error {
	for heir, sessions := range s.associations.ownership.bequeathed(p, from.peer.Addr(), false) {
		if err := s.carry.drop(sessions, heir); err != nil {
			return err
		}
	}
	return nil
}

// takeBack gives an SMF those of its sessions again that others of its set went on with and did not take over, and that
// its setup retains. It gives how many there are.
func (s *nodes) takeBack(p setup, from source) (n int) {
	a := s.associations.of(p.node)
	if a == nil || p.retain == nil {
		return 0
	}
	for heir, sessions := range s.associations.ownership.bequeathed(p, from.peer.Addr(), true) {
		for _, one := range sessions {
			if one.begun() == nil {
				continue
			}
			if s.associations.ownership.moveTo(one, heir, a) {
				s.kept.session(one)
				n++
			}
			one.Unlock()
		}
	}
	return n
}

// bequeathed lists by association, in the order in which they are locked, the sessions that others of the set went on
// with: their CP F-SEID is still of the address, or of another one that a setup from there names as retained. They are
// those that the setup retains, or the others.
func (l *ownership) bequeathed(p setup, at netip.Addr, retained bool) map[*association][]*pduSession {
	l.mu.Lock()
	defer l.mu.Unlock()
	list, set := map[*association][]*pduSession{}, l.setOf(at)
	if set == "" {
		return list
	}
	for _, heir := range l.nodes {
		if heir.set != set || heir.node == p.node || heir.owns(at) {
			continue
		}
		for _, one := range heir.sessions {
			_, owner := l.sessions.cpFSEID(one)
			stays := p.retain != nil && p.retain.retains(owner)
			its := owner == at || stays && len(p.retain.entities) > 0 && !heir.owns(owner)
			if its && stays == retained {
				list[heir] = append(list[heir], one)
			}
		}
		slices.SortFunc(list[heir], bySEID)
	}
	return list
}

// usable ends the time in which an association takes the sessions of the old one.
func (l *associations) usable(a *association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	a.ending = false
}

// succeed enters an association in the place of an older one of the node, whose sessions it has room for. Until it has
// them it is as one that ends: nobody else ends it, and it gets no new ones.
func (l *associations) succeed(old *association, p setup, from source) (*association, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := from.peer.Addr()
	if at != old.peer.Addr() {
		if err := l.makeRoom(at); err != nil {
			return nil, err
		}
		filters := 0
		for _, one := range old.sessions {
			filters += int(one.charged)
		}
		if !l.sources.fits(l.settings.Limits, at, len(old.sessions), filters) {
			l.sources.forgetUnused(at)
			return nil, noSessionsLeft()
		}
	}
	a := l.enter(p, from)
	a.ending, a.confirmed, a.remains, a.applications = true, true, old.remains, old.applications
	l.sources.of(old.peer.Addr()).associations--
	l.sources.forgetUnused(old.peer.Addr())
	l.kept.association(a)
	return a, nil
}

// ofPeer lists the association's sessions but those that another SMF of the set has, by their CP F-SEID: a restart of the
// peer does not affect them. An SMF of a set is to keep its Recovery Time Stamp when it restarts (TS 23.527), so a new
// one says that its own sessions are lost. The lock is held.
func (l *table) ofPeer(a *association) []*pduSession {
	if a.features&cpSSET == 0 {
		return a.sessions
	}
	return slices.DeleteFunc(slices.Clone(a.sessions), func(one *pduSession) bool {
		_, at := l.sessions.cpFSEID(one)
		return slices.Contains(a.others, at)
	})
}
