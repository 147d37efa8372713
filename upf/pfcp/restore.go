package pfcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Kept is what a Keeper kept, and the Recovery Time Stamp that it was kept with.
type Kept struct {
	Recovery uint32
	Values   map[string]json.RawMessage
}

// Restored counts what came back, and what could not.
type Restored struct{ Associations, Sessions, Lost int }

// Recovery is the Recovery Time Stamp that CP functions are given.
func (s *Server) Recovery() uint32 { return s.started }

// Restore brings back what was kept, with the Recovery Time Stamp of then: to CP
// functions the UPF did not restart. A session that the datapath refuses now is dropped
// and logged. It is called once, before Serve.
func (s *Server) Restore(k Kept) (r Restored, err error) {
	s.started = k.Recovery
	sessions := map[uint64]*KeptSession{}
	for key, value := range k.Values {
		node, seid, err := keyOf(key)
		if err != nil {
			return r, err
		}
		if node != "" {
			err = s.restoreAssociation(node, value)
			r.Associations++
		} else {
			sessions[seid] = &KeptSession{}
			err = json.Unmarshal(value, sessions[seid])
		}
		if err != nil {
			return r, fmt.Errorf("%s: %w", key, err)
		}
	}
	var all []*pduSession
	for seid, kept := range sessions {
		if one := s.restoreSession(seid, kept); one != nil {
			all = append(all, one)
		} else {
			r.Lost++
		}
	}
	slices.SortFunc(all, func(a, b *pduSession) int { return cmp.Compare(a.up, b.up) })
	for chunk := range slices.Chunk(all, deleteChunk) {
		r.Sessions += s.bringBack(chunk)
	}
	r.Lost += len(all) - r.Sessions
	return r, nil
}

func (s *Server) restoreAssociation(node string, value []byte) error {
	var k KeptAssociation
	if err := json.Unmarshal(value, &k); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.nodes[node] = &association{
		node: node, peer: k.Peer, recovery: k.Recovery, since: time.Now(), confirmed: true,
		applications: k.Applications,
	}
	s.usageOf(k.Peer.Addr()).associations++
	return nil
}

// restoreSession enters a session; nil when its association is not there.
func (s *Server) restoreSession(seid uint64, k *KeptSession) *pduSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.nodes[k.Node]
	if a == nil || k.Rules == nil {
		s.log.Warn("a session is not restored: its association is not there", "session", sessionKey(seid), "node", k.Node)
		s.forgetKept(sessionKey(seid))
		return nil
	}
	one := &pduSession{up: seid, cp: k.CP, association: a, rules: session.Pack(k.Rules)}
	if k.CPAddress.Is4() {
		one.cpAddress = k.CPAddress.As4()
	}
	one.giveAddresses(k.Given)
	s.sessions[seid] = one
	a.sessions.add(one)
	s.usageOf(a.peer.Addr()).sessions++
	for _, set := range k.Sets {
		one.extra().sets = append(one.sets, string(set))
	}
	for id, u := range k.Usage {
		one.usage.put(id, u.state())
		if s.can.Resume != nil {
			s.can.Resume(seid, id, u.Counted)
		}
	}
	return one
}

// bringBack has the datapath carry sessions out, all at once or, where one of them is
// refused, each by itself. It gives how many there are.
func (s *Server) bringBack(list []*pduSession) (done int) {
	var changes []datapath.Change
	for _, one := range list {
		changes = append(changes, datapath.Change{New: inEffect(one.rules.Rules(), one.usage)})
	}
	err := s.cfg.Datapath.Apply(changes)
	switch {
	case err == nil:
		for _, one := range list {
			s.settleRestored(one)
		}
		return len(list)
	case len(list) > 1:
		for i := range list {
			done += s.bringBack(list[i : i+1])
		}
		return done
	}
	one := list[0]
	s.log.Warn("a session is not restored: the datapath refuses it", "seid", seid(one.up), "ue", uesOf(one.rules.Rules()), "err", err)
	s.forget(one)
	return 0
}

// settleRestored enters what a session that was brought back has elsewhere. Whether a
// report is due is looked at when the server serves.
func (s *Server) settleRestored(one *pduSession) {
	rules := one.rules.Rules()
	for _, teid := range teidsOf(rules) {
		s.teids.claim(teid, one.up)
	}
	for _, ue := range addressesOf(rules) {
		s.addresses.claim(ue, one.up)
	}
	s.remotes.replace(nil, rules, one.up)
	if len(rules.URRs) > 0 {
		s.timers.add(time.Now(), one.up)
	}
}
