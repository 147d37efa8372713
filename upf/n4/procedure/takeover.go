package procedure

import (
	"slices"

	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
)

// Bequeath gives the sessions of an association whose SMF does not answer to another SMF of its set, as far as there is
// one with room. What the lost one would be told goes to that one from then on. TS 29.244 clause 5.22.3 has another SMF
// take a session over when it is told of it, and does not say whose it is until then: here it is that of the SMF that
// would be told.
func (s *Nodes) Bequeath(a *association.Association) {
	sessions := s.Associations.Ownership.SessionsOf(a)
	heir := s.Associations.Ownership.Heir(a)
	if heir == nil {
		return
	}
	n := 0
	for _, one := range sessions {
		if one.Begun() == nil {
			continue
		}
		if s.Associations.Ownership.Hand(one, heir) {
			s.Kept.Session(one)
			n++
		}
		one.Unlock()
	}
	s.Log.Warn("another SMF of the set has the sessions of the lost one", "node", a.Node, "heir", heir.Node, "sessions", n)
}

// SessionsRetained is PSREI of PFCPASRsp-Flags (clause 8.2.134).
const SessionsRetained = 1 << 0

// renew makes the association anew, with the sessions of the old one, which is ending, that the request retains. On an
// error the old one is as usable as before.
func (s *Nodes) renew(old *association.Association, p request.Setup, from request.Source) error {
	gone := slices.DeleteFunc(s.Associations.Ownership.SessionsOf(old), func(one *association.Session) bool {
		_, at := s.Sessions.CPFSEID(one)
		if !at.IsValid() {
			at = old.Peer.Addr()
		}
		return p.Retain.Retains(at)
	})
	var a *association.Association
	err := s.Carry.drop(gone, old)
	if err == nil {
		a, err = s.Associations.Succeed(old, p, from)
	}
	if err != nil {
		s.Associations.Ended(old, err)
		return err
	}
	for _, one := range s.Associations.Ownership.SessionsOf(old) {
		if one.Begun() != nil {
			s.Associations.Ownership.MoveTo(one, old, a)
			one.Unlock()
		}
	}
	s.Associations.Usable(a)
	return nil
}

// dropBequeathed deletes the sessions of an SMF that others of its set went on with and did not take over, when it sets an
// association up that does not retain them: it has forgotten them.
func (s *Nodes) dropBequeathed(p request.Setup, from request.Source) error {
	for heir, sessions := range s.Associations.Ownership.Bequeathed(p, from.Peer.Addr(), false) {
		if err := s.Carry.drop(sessions, heir); err != nil {
			return err
		}
	}
	return nil
}

// takeBack gives an SMF those of its sessions again that others of its set went on with and did not take over, and that
// its setup retains. It gives how many there are.
func (s *Nodes) takeBack(p request.Setup, from request.Source) (n int) {
	a := s.Associations.Of(p.Node)
	if a == nil || p.Retain == nil {
		return 0
	}
	for heir, sessions := range s.Associations.Ownership.Bequeathed(p, from.Peer.Addr(), true) {
		for _, one := range sessions {
			if one.Begun() == nil {
				continue
			}
			if s.Associations.Ownership.MoveTo(one, heir, a) {
				s.Kept.Session(one)
				n++
			}
			one.Unlock()
		}
	}
	return n
}
