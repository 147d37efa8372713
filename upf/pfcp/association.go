package pfcp

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// association is the relation to one CP function (TS 29.244 clause 5.8).
type association struct {
	node     string         // its Node ID
	peer     netip.AddrPort // where its setup request came from
	recovery uint32         // its Recovery Time Stamp
	sessions map[uint64]*pduSession
	beat     beat
}

// pduSession is a PFCP session.
type pduSession struct {
	up, cp      uint64 // SEIDs
	association *association
	rules       *session.Rules
}

// maxAssociations bounds what peers can make the server remember.
const maxAssociations = 1024

// deleteChunk is how many sessions go to the datapath at once.
const deleteChunk = 256

// clear deletes all sessions of the association. On an error those that are
// left are whole.
func (s *Server) clear(a *association) error {
	chunk := make([]*pduSession, 0, deleteChunk)
	for _, one := range a.sessions {
		if chunk = append(chunk, one); len(chunk) == deleteChunk {
			if err := s.drop(chunk); err != nil {
				return err
			}
			chunk = chunk[:0]
		}
	}
	return s.drop(chunk)
}

// drop takes sessions from the datapath and then forgets them.
func (s *Server) drop(gone []*pduSession) error {
	list := make([]datapath.Change, len(gone))
	for i, one := range gone {
		list[i].Old = one.rules
	}
	if err := s.cfg.Datapath.Apply(list); err != nil {
		return err
	}
	for _, one := range gone {
		s.teids.release(one.rules, nil)
		delete(s.sessions, one.up)
		delete(one.association.sessions, one.up)
		s.counters.Deleted++
	}
	return nil
}

// restarted deletes the sessions of the CP function at the address when its
// Recovery Time Stamp is newer than the one known (TS 23.527 clause 4.4.2).
func (s *Server) restarted(from netip.AddrPort, recovery uint32) {
	for _, a := range s.at(from) {
		if int32(recovery-a.recovery) <= 0 {
			continue
		}
		s.log.Warn("the CP function restarted, its sessions are deleted", "node", a.node, "sessions", len(a.sessions))
		if err := s.clear(a); err != nil {
			s.log.Error("delete sessions of a restarted CP function", "node", a.node, "err", err)
			continue // tried again at the next heartbeat
		}
		a.recovery = recovery
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
