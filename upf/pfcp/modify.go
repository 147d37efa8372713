package pfcp

import (
	"net/netip"
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/datapath"
)

// modification is a Session Modification Request (TS 29.244 clauses 6.3.3,
// 7.5.4).
type modification struct {
	cp      *cpFSEID // a new one, nil when it stays
	node    string   // of the SMF that takes the session over from another one of its set; "": none does
	changes *changes
}

func decodeModification(f fields) (procedure, error) {
	p := modification{}
	seid, _, err := f.may(ie.FSEID, 9)
	if err != nil {
		return nil, err
	}
	if len(seid) > 0 {
		if err := checkFSEID(seid); err != nil {
			return nil, err
		}
		cp := fseidOf(seid)
		p.cp = &cp
	}
	if f.find(ie.NodeID) != nil {
		if p.node, err = nodeIDOf(f); err != nil {
			return nil, err
		}
	}
	if p.changes, err = decodeChanges(f); err != nil {
		return p, err
	}
	reference, err := f.mayUint32(ie.QueryURRReference)
	if err != nil {
		return p, err
	}
	if reference != nil {
		p.changes.queryReference = ie.NewQueryURRReference(*reference)
	}
	flags, _, err := f.may(ie.PFCPSMReqFlags, 1)
	p.changes.queryAll = len(flags) > 0 && flags[0]&smReqQAURR != 0
	p.changes.dropHeld = len(flags) > 0 && flags[0]&smReqDROBU != 0
	return p, err
}

// run changes the session, or leaves everything as it was.
func (s *carrier) modify(p modification, from source) outcome {
	one, err := s.find(from)
	if err != nil {
		return s.fail(from, err)
	}
	defer one.Unlock()
	owner, err := s.associations.ownership.successor(one, p, from)
	if err != nil {
		return s.fail(from, err)
	}
	t, err := s.change(one, p.changes, from.at)
	if err != nil {
		return s.fail(from, err)
	}
	reports := append(t.final.reports, s.meters.queried(one, p.changes, from.at)...)
	s.associations.ownership.hand(one, owner)
	if p.cp != nil {
		s.sessions.setCP(one, p.cp.seid, p.cp.address(s.n4.Is6()))
	}
	s.count(func(c *Counters) { c.Modified++ })
	s.kept.session(one)
	s.logSession("session modified", one, t.rules)
	if s.endMarker != nil {
		for _, tunnel := range t.ended {
			s.endMarker(tunnel)
		}
	}
	return outcome{answer: s.accepted(from.Header, one.cp, append(t.allocated(), reports...)...), keep: true, node: one.association.node}
}

// deletion is a Session Deletion Request (TS 29.244 clauses 6.3.4, 7.5.6).
type deletion struct{}

func (s *carrier) delete(from source) outcome {
	one, err := s.find(from)
	if err != nil {
		return s.fail(from, err)
	}
	cp, node := one.cp, one.association.node
	final := &finals{typ: ie.UsageReportWithinSessionDeletionResponse, at: from.at}
	one.extra().final = final
	one.Unlock()
	if err := s.drop([]*pduSession{one}, nil); err != nil {
		return s.fail(from, err)
	}
	return outcome{answer: s.accepted(from.Header, cp, final.reports...), keep: true, node: node}
}

// setDeletion is a Session Set Deletion Request (TS 29.244 clauses 6.2.10, 7.4.6.1): the
// sessions with one of the FQ-CSIDs go, without usage reports.
type setDeletion struct {
	node string
	sets []string
}

func decodeSetDeletion(f fields) (procedure, error) {
	p := setDeletion{}
	var err error
	if p.node, err = nodeIDOf(f); err != nil {
		return nil, err
	}
	if p.sets, err = setsOf(f); err != nil {
		return nil, err
	}
	if len(p.sets) == 0 {
		return nil, missingConditional(ie.FQCSID)
	}
	return p, nil
}

// run deletes the sender's sessions that are in one of the sets.
func (s *nodes) deleteSets(p setDeletion, from source) outcome {
	a, err := s.associations.named(p.node, from, false)
	if err != nil {
		return s.fail(from, err)
	}
	if err := s.carry.drop(s.inSets(a, p.sets), a); err != nil {
		return s.fail(from, err)
	}
	return outcome{answer: s.accepted(from.Header, 0), keep: true, node: a.node}
}

func (s *nodes) inSets(a *association, sets []string) (list []*pduSession) {
	for _, one := range s.associations.ownership.sessionsOf(a) {
		if slices.ContainsFunc(one.setsOf(), func(set string) bool { return slices.Contains(sets, set) }) {
			list = append(list, one)
		}
	}
	return list
}

// setsOf are the FQ-CSIDs that the session was established with.
func (p *pduSession) setsOf() []string {
	if p.extras == nil {
		return nil
	}
	return p.sets
}

// deleteChunk is how many sessions go to the datapath at once.
const deleteChunk = 256

// end deletes the association's sessions, then the association, which is ending.
// On an error it is as usable as before, and the sessions that are left are whole.
func (s *carrier) end(a *association) error {
	err := s.drop(s.associations.ownership.sessionsOf(a), a)
	s.associations.ended(a, err)
	return err
}

// drop deletes sessions, listed by SEID, but for those that another association than of took over meanwhile; nil
// is any. On an error those that are left are whole.
func (s *carrier) drop(gone []*pduSession, of *association) error {
	for chunk := range slices.Chunk(gone, deleteChunk) {
		if err := s.dropChunk(chunk, of); err != nil {
			return err
		}
	}
	return nil
}

// dropChunk takes sessions from the datapath and then forgets them.
func (s *carrier) dropChunk(chunk []*pduSession, of *association) error {
	var list []datapath.Change
	var gone []*pduSession
	for _, one := range chunk {
		one.Lock()
		defer one.Unlock()
		if !one.rules.IsZero() && (of == nil || one.association == of) {
			list, gone = append(list, one.deletion()), append(gone, one)
		}
	}
	if err := s.datapath.Apply(list); err != nil {
		return err
	}
	for i, one := range gone {
		s.logSession("session deleted", one, list[i].Old)
		s.held.forget(one.holds())
		s.sessions.release(list[i].Old, one.up)
		s.forget(one)
	}
	s.count(func(c *Counters) { c.Deleted += uint64(len(gone)) })
	return nil
}

// deletion is the change that ends a session.
func (p *pduSession) deletion() datapath.Change {
	c := datapath.Change{Old: p.rules.Rules()}
	if e := p.extras; e != nil && e.final != nil {
		e.final.old, e.final.states = c.Old, p.usage
		c.Final = e.final.take
	}
	return c
}

// restarted deletes the sessions of the CP function at the address when its
// Recovery Time Stamp is newer than the one known. When that fails, the next heartbeat tries
// again.
func (s *nodes) restarted(from netip.AddrPort, recovery uint32) {
	for _, r := range s.associations.liveness.restarted(from, recovery) {
		s.later(func() {
			if err := s.carry.drop(r.gone, r.of); err != nil {
				s.log.Error("delete sessions of a restarted CP function", "node", r.of.node, "err", err)
				s.associations.liveness.retry(r)
			}
		})
	}
}

// restart is a CP function that restarted, and its sessions from before.
type restart struct {
	of   *association
	gone []*pduSession
}

// restarted finds the CP functions at the address whose Recovery Time Stamp is older than this one
// (TS 23.527 clause 4.4.2).
func (l *liveness) restarted(from netip.AddrPort, recovery uint32) (list []restart) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard(from.Addr())
	for _, a := range l.at(from) {
		if a.ending {
			continue
		}
		remains := a.remains
		a.remains = nil
		if int32(recovery-a.recovery) <= 0 {
			if len(remains) > 0 {
				list = append(list, restart{a, remains})
			}
			continue
		}
		a.recovery = recovery
		l.kept.association(a)
		gone := slices.SortedFunc(slices.Values(l.ofPeer(a)), bySEID) // those that remain among them
		l.log.Warn("the CP function restarted, its sessions are deleted", "node", a.node, "sessions", len(gone))
		l.connectAgain(from.Addr())
		list = append(list, restart{a, gone})
	}
	return list
}

// retry has the next heartbeat delete sessions from before a restart that could not be deleted, and no
// others: the CP function may have set up new ones since.
func (l *liveness) retry(r restart) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := append(r.of.remains, r.gone...) // two restarts may have the same one
	slices.SortFunc(list, bySEID)
	r.of.remains = slices.Compact(list)
}
