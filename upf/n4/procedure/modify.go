package procedure

import (
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
	"github.com/upflab/upflab/upf/n4/usage"
)

// Modify changes the session, or leaves everything as it was.
func (s *Sessions) Modify(p request.Modification, from request.Source) Outcome {
	one, err := s.find(from)
	if err != nil {
		return s.Fail(from, err)
	}
	defer one.Unlock()
	owner, err := s.Associations.Ownership.Successor(one, p, from)
	if err != nil {
		return s.Fail(from, err)
	}
	t, err := s.change(one, p.Changes, from.At)
	if err != nil {
		return s.Fail(from, err)
	}
	reports := append(t.Final.Reports, s.Meters.Queried(one, p.Changes, from.At)...)
	s.Associations.Ownership.Hand(one, owner)
	if p.CP != nil {
		s.Sessions.SetCP(one, p.CP.SEID, p.CP.Address(s.N4.Is6()))
	}
	s.Count(func(c *tally.Counters) { c.Modified++ })
	s.Kept.Session(one)
	s.logSession("session modified", one, t.Rules)
	if s.EndMarker != nil {
		for _, tunnel := range t.Ended {
			s.EndMarker(tunnel)
		}
	}
	return Outcome{Answer: s.accepted(from.Header, one.CP, append(t.Allocated(), reports...)...), Keep: true, Node: one.Association.Node}
}

func (s *Sessions) Delete(from request.Source) Outcome {
	one, err := s.find(from)
	if err != nil {
		return s.Fail(from, err)
	}
	cp, node := one.CP, one.Association.Node
	final := &usage.Finals{Type: ie.UsageReportWithinSessionDeletionResponse, At: from.At}
	one.Extra().Final = final
	one.Unlock()
	if err := s.drop([]*association.Session{one}, nil); err != nil {
		return s.Fail(from, err)
	}
	return Outcome{Answer: s.accepted(from.Header, cp, final.Reports...), Keep: true, Node: node}
}

// DeleteSets deletes the sender's sessions that are in one of the sets.
func (s *Nodes) DeleteSets(p request.SetDeletion, from request.Source) Outcome {
	a, err := s.Associations.Named(p.Node, from, false)
	if err != nil {
		return s.Fail(from, err)
	}
	if err := s.Carry.drop(s.inSets(a, p.Sets), a); err != nil {
		return s.Fail(from, err)
	}
	return Outcome{Answer: s.accepted(from.Header, 0), Keep: true, Node: a.Node}
}

func (s *Nodes) inSets(a *association.Association, sets []string) (list []*association.Session) {
	for _, one := range s.Associations.Ownership.SessionsOf(a) {
		if slices.ContainsFunc(one.SetsOf(), func(set string) bool { return slices.Contains(sets, set) }) {
			list = append(list, one)
		}
	}
	return list
}

// deleteChunk is how many sessions go to the datapath at once.
const deleteChunk = 256

// end deletes the association's sessions, then the association, which is ending.
// On an error it is as usable as before, and the sessions that are left are whole.
func (s *Sessions) end(a *association.Association) error {
	err := s.drop(s.Associations.Ownership.SessionsOf(a), a)
	s.Associations.Ended(a, err)
	return err
}

// drop deletes sessions, listed by SEID, but for those that another association than of took over meanwhile; nil
// is any. On an error those that are left are whole.
func (s *Sessions) drop(gone []*association.Session, of *association.Association) error {
	for chunk := range slices.Chunk(gone, deleteChunk) {
		if err := s.dropChunk(chunk, of); err != nil {
			return err
		}
	}
	return nil
}

// dropChunk takes sessions from the datapath and then forgets them.
func (s *Sessions) dropChunk(chunk []*association.Session, of *association.Association) error {
	var list []datapath.Change
	var gone []*association.Session
	for _, one := range chunk {
		one.Lock()
		defer one.Unlock()
		if !one.Rules.IsZero() && (of == nil || one.Association == of) {
			list, gone = append(list, one.Deletion()), append(gone, one)
		}
	}
	if err := s.Datapath.Apply(list); err != nil {
		return err
	}
	for i, one := range gone {
		s.logSession("session deleted", one, list[i].Old)
		s.Held.Forget(one.Holds())
		s.Sessions.Release(list[i].Old, one.Up)
		s.forget(one)
	}
	s.Count(func(c *tally.Counters) { c.Deleted += uint64(len(gone)) })
	return nil
}

// Restarted deletes the sessions of the CP function at the address when its
// Recovery Time Stamp is newer than the one known. When that fails, the next heartbeat tries
// again.
func (s *Nodes) Restarted(from netip.AddrPort, recovery uint32) {
	for _, r := range s.Associations.Liveness.Restarted(from, recovery) {
		s.Later(func() {
			if err := s.Carry.drop(r.Gone, r.Of); err != nil {
				s.Log.Error("delete sessions of a restarted CP function", "node", r.Of.Node, "err", err)
				s.Associations.Liveness.Retry(r)
			}
		})
	}
}
