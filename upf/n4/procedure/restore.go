package procedure

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/session"
)

// KeepAll keeps all sessions as they are now, with what was counted. It is for a UPF that
// is about to be replaced.
func (s *Sessions) KeepAll() {
	for _, one := range s.Sessions.All() {
		one.Lock()
		s.Kept.Session(one)
		one.Unlock()
	}
}

// Kept is what a Keeper kept, and the Recovery Time Stamp that it was kept with.
type Kept struct {
	Recovery uint32
	Values   map[string]json.RawMessage
	Damaged  int // values that are lost already
}

// Restored counts what came back, and what could not.
type Restored struct{ Associations, Sessions, Lost int }

// Restore brings back what was kept, with the Recovery Time Stamp of then: to CP
// functions the UPF did not restart. A session that the datapath refuses now is dropped
// and logged. It is called once, before Serve.
func (s *Sessions) Restore(k Kept) (r Restored) {
	s.Started = k.Recovery
	sessions := map[uint64]*association.KeptSession{}
	r.Lost = k.Damaged
	for key, value := range k.Values {
		node, seid, err := association.KeyOf(key)
		var one association.KeptSession
		switch {
		case err != nil:
		case node != "":
			if err = s.restoreAssociation(node, value); err == nil {
				r.Associations++
			}
		default:
			if err = json.Unmarshal(value, &one); err == nil {
				sessions[seid] = &one
			}
		}
		if err != nil {
			s.Log.Warn("what was kept is not restored: it cannot be read", "key", key, "err", err)
			s.Kept.Forget(key)
			r.Lost++
		}
	}
	var all []*association.Session
	for seid, kept := range sessions {
		if one := s.restoreSession(seid, kept); one != nil {
			all = append(all, one)
		} else {
			r.Lost++
		}
	}
	slices.SortFunc(all, func(a, b *association.Session) int { return cmp.Compare(a.Up, b.Up) })
	for chunk := range slices.Chunk(all, deleteChunk) {
		r.Sessions += s.bringBack(chunk)
	}
	r.Lost += len(all) - r.Sessions
	return r
}

func (s *Sessions) restoreAssociation(node string, value []byte) error {
	var k association.KeptAssociation
	if err := json.Unmarshal(value, &k); err != nil {
		return err
	}
	s.Associations.Restore(node, k)
	return nil
}

// restoreSession enters a session; nil when its association is not there.
func (s *Sessions) restoreSession(seid uint64, k *association.KeptSession) *association.Session {
	a := s.Associations.Of(k.Node)
	if a == nil || k.Rules == nil {
		s.Log.Warn("a session is not restored: its association is not there", "session", association.SessionKey(seid), "node", k.Node)
		s.Kept.Forget(association.SessionKey(seid))
		return nil
	}
	one := &association.Session{Up: seid, CP: k.CP, Association: a, Rules: session.Pack(k.Rules)}
	if k.CPAddress.IsValid() {
		one.CPAddress = k.CPAddress.As16()
	}
	one.GiveAddresses(k.Given)
	s.Sessions.Restore(one)
	one.Charged = int32(change.FiltersOf(k.Rules))
	s.Associations.Ownership.Readmit(one)
	for _, set := range k.Sets {
		one.Extra().Sets = append(one.Sets, string(set))
	}
	for id, u := range k.Usage {
		urr := k.Rules.FindURR(id)
		if urr == nil {
			continue
		}
		one.Usage.Put(id, u.State())
		if s.Can.Resume != nil {
			s.Can.Resume(seid, urr.Key(), u.Counted)
		}
	}
	return one
}

// bringBack has the datapath carry sessions out, all at once or, where one of them is
// refused, each by itself. It gives how many there are.
func (s *Sessions) bringBack(list []*association.Session) (done int) {
	var changes []datapath.Change
	for _, one := range list {
		changes = append(changes, datapath.Change{New: one.Rules.Rules()})
	}
	err := s.Datapath.Apply(changes)
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
	s.Log.Warn("a session is not restored: the datapath refuses it", "seid", association.LogSEID(one.Up), "ue", association.UEsOf(one.Rules.Rules()), "err", err)
	s.forget(one)
	return 0
}

// settleRestored enters what a session that was brought back has elsewhere. Whether a
// report is due is looked at when the server serves.
func (s *Sessions) settleRestored(one *association.Session) {
	rules := one.Rules.Rules()
	s.Sessions.Claim(rules, one.Up)
	if len(rules.URRs) > 0 {
		s.Reports.Timers.Add(time.Now(), one.Up)
	}
}
