package pfcp

import (
	"cmp"
	"net/netip"
	"slices"
	"time"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// association is the relation to one CP function (TS 29.244 clause 5.8). The
// server's lock guards it.
type association struct {
	node     string         // its Node ID
	peer     netip.AddrPort // where its setup request came from
	recovery uint32         // its Recovery Time Stamp
	sessions sessionList
	// applications are what PFD management gave: the filters of each.
	applications map[string][]session.Filter
	beat         beat
	since        time.Time
	// confirmed: it had a session or answered a heartbeat. One that never did may
	// be an invented Node ID, and makes way for others.
	confirmed bool
	mute      bool // it did not answer when it was asked to release the association
	ending    bool // its sessions are being deleted; no new ones
	// challenged: another address claims its Node ID, so a heartbeat is due.
	challenged bool
}

// deleteChunk is how many sessions go to the datapath at once.
const deleteChunk = 256

// end deletes the association's sessions, then the association, which is ending.
// On an error it is as usable as before, and the sessions that are left are whole.
func (s *Server) end(a *association) error {
	err := s.drop(s.sessionsOf(a))
	s.mu.Lock()
	defer s.mu.Unlock()
	if a.ending = err == nil; a.ending && s.nodes[a.node] == a {
		s.remove(a)
	}
	return err
}

// remove takes an association without sessions out of the tables. The lock is
// held.
func (s *Server) remove(a *association) {
	delete(s.nodes, a.node)
	s.forgetKept(keyAssociation + a.node)
	s.usageOf(a.peer.Addr()).associations--
	s.forgetUnused(a.peer.Addr())
}

// sessionsOf lists the association's sessions by SEID, the order in which they are
// locked.
func (s *Server) sessionsOf(a *association) []*pduSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(slices.Values(a.sessions), bySEID)
}

func bySEID(a, b *pduSession) int { return cmp.Compare(a.up, b.up) }

// drop deletes sessions, listed by SEID. On an error those that are left are whole.
func (s *Server) drop(gone []*pduSession) error {
	for chunk := range slices.Chunk(gone, deleteChunk) {
		if err := s.dropChunk(chunk); err != nil {
			return err
		}
	}
	return nil
}

// dropChunk takes sessions from the datapath and then forgets them.
func (s *Server) dropChunk(chunk []*pduSession) error {
	var list []datapath.Change
	var gone []*pduSession
	for _, one := range chunk {
		one.mu.Lock()
		defer one.mu.Unlock()
		if !one.rules.IsZero() {
			list, gone = append(list, one.deletion()), append(gone, one)
		}
	}
	if err := s.cfg.Datapath.Apply(list); err != nil {
		return err
	}
	for i, one := range gone {
		s.logSession("session deleted", one, list[i].Old)
		s.forgetHeld(one)
		s.teids.free(teidsOf(list[i].Old))
		s.addresses.free(addressesOf(list[i].Old))
		s.remotes.replace(list[i].Old, nil, one.up)
		s.forget(one)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.counters.Deleted += uint64(len(gone))
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
// Recovery Time Stamp is newer than the one known (TS 23.527 clause 4.4.2).
func (s *Server) restarted(from netip.AddrPort, recovery uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.at(from) {
		known := a.recovery
		if int32(recovery-known) <= 0 || a.ending {
			continue
		}
		a.recovery = recovery
		s.keepAssociation(a)
		gone := slices.SortedFunc(slices.Values(a.sessions), bySEID)
		s.log.Warn("the CP function restarted, its sessions are deleted", "node", a.node, "sessions", len(gone))
		s.connectAgain(from.Addr())
		s.later(func() { s.dropOld(a, gone, known) })
	}
}

// dropOld deletes the sessions from before a restart. Where that fails the next
// heartbeat tries again.
func (s *Server) dropOld(a *association, gone []*pduSession, known uint32) {
	if err := s.drop(gone); err != nil {
		s.log.Error("delete sessions of a restarted CP function", "node", a.node, "err", err)
		s.mu.Lock()
		defer s.mu.Unlock()
		a.recovery = known
	}
}

// at finds the associations that a heartbeat from the address speaks for. A
// heartbeat has no Node ID and may come from another port than the setup did;
// so the port counts only where several CP functions share the address.
func (s *Server) at(from netip.AddrPort) []*association {
	var sameIP, same []*association
	for _, a := range s.nodes {
		if a.peer.Addr() != from.Addr() {
			continue
		}
		sameIP = append(sameIP, a)
		if a.peer == from {
			same = append(same, a)
		}
	}
	if len(sameIP) > 1 {
		return same
	}
	return sameIP
}

// beat is the state of the heartbeats sent to a CP function.
type beat struct {
	next     time.Time    // when the next request is due
	sequence uint32       // of the request that waits for its answer
	pending  pfcp.Pending // that request; not sent when none waits
}
