package procedure

import (
	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// Establish makes the session, or leaves everything as it was.
func (s *Sessions) Establish(p request.Establishment, from request.Source) Outcome {
	one, err := s.begin(p, from)
	if err != nil {
		return s.Fail(from, p.To(err))
	}
	defer one.Unlock()
	t, err := s.change(one, p.Changes, from.At)
	if err != nil {
		s.forget(one)
		return s.Fail(from, p.To(err))
	}
	s.Count(func(c *tally.Counters) { c.Established++ })
	s.Associations.Ownership.Confirm(one.Association)
	s.Kept.Session(one)
	s.logSession("session established", one, t.Rules)
	ies := append([]*ie.IE{s.fseid(one.Up)}, t.Allocated()...)
	return Outcome{Answer: s.accepted(from.Header, one.CP, ies...), Keep: true, Node: p.Node}
}

// fseid is a session's UP F-SEID.
func (s *Sessions) fseid(seid uint64) *ie.IE {
	if s.N4.Is6() {
		return ie.NewFSEID(seid, nil, s.N4.AsSlice())
	}
	return ie.NewFSEID(seid, s.N4.AsSlice(), nil)
}

// begin enters a session without rules, locked, when there is room for it.
func (s *Sessions) begin(p request.Establishment, from request.Source) (*association.Session, error) {
	return s.Associations.Ownership.Admit(p.Node, from, p.CP.Of(s.N4.Is6()), func(a *association.Association) (*association.Session, error) {
		one := &association.Session{CP: p.CP.SEID, CPAddress: p.CP.Address(s.N4.Is6()), Association: a}
		if len(p.Sets) > 0 {
			one.Extra().Sets = p.Sets
		}
		one.Lock()
		return one, s.Sessions.Enter(one)
	})
}

// forget takes a session out of the tables. Its lock is held.
func (s *Sessions) forget(one *association.Session) {
	s.Kept.Forget(association.SessionKey(one.Up))
	s.Sessions.Remove(one)
	s.Associations.Ownership.Discharge(one)
}

// find returns the session that a message is about to its owner and to the other SMFs of that one's set, locked.
func (s *Sessions) find(from request.Source) (*association.Session, error) {
	one, stranger := s.Sessions.Find(from)
	if one != nil && !s.Associations.MayAct(one.Association, from.Peer.Addr()) {
		one.Unlock()
		one, stranger = nil, true
	} else if stranger && s.Associations.Serves(s.Sessions.AssociationOf(from.SEID), from.Peer.Addr()) {
		one, stranger = s.Sessions.Locked(from.SEID), false
	}
	if stranger {
		s.Count(func(c *tally.Counters) { c.NotOwner++ })
	}
	if one == nil {
		return nil, association.SessionNotFound()
	}
	return one, nil
}
