package pfcp

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Keeper keeps what a later process goes on with. It must not block for long, and not
// call the Server.
type Keeper interface {
	Put(key string, value any)
	Forget(key string)
}

// The keys of what is kept: a prefix, and the Node ID or the SEID.
const (
	keyAssociation = "association/"
	keySession     = "session/"
)

// KeptAssociation is an association as it is kept.
type KeptAssociation struct {
	Peer     netip.AddrPort
	Recovery uint32
	// Applications are what PFD management gave.
	Applications map[string][]session.Filter `json:",omitempty"`
	// Features are the CP Function Features of SMF sets. Others are the addresses of the set's other SMFs, Silent
	// those that do not answer. Which set it is the configuration says.
	Features uint8        `json:",omitempty"`
	Others   []netip.Addr `json:",omitempty"`
	Silent   []netip.Addr `json:",omitempty"`
}

// KeptSession is a session as it is kept.
type KeptSession struct {
	CP        uint64
	CPAddress netip.Addr
	Node      string
	Sets      [][]byte        `json:",omitempty"` // FQ-CSIDs
	Given     [2]netip.Prefix // UE addresses that were chosen here
	Rules     *session.Rules
	Usage     map[uint32]KeptUsage `json:",omitempty"`
}

// KeptUsage is how far the usage of a URR was reported, and what was counted when it was
// kept.
type KeptUsage struct {
	Sequence         uint32
	Base, Granted    session.Usage
	Since, Began     time.Time
	QuotaAt, GivenAt time.Time
	Started, Ended   bool
	VolumeUp, TimeUp bool
	Activity         KeptActivity
	Counted          session.Usage
	// VolumeFrom and TimeFrom are where thresholds count from.
	VolumeFrom session.Usage   `json:",omitzero"`
	TimeFrom   time.Time       `json:",omitzero"`
	Before     []KeptMonitored `json:"Splits,omitempty"`
	// Stopped is when the time that is measured stopped, Idle how long it stood still. Part of a second is not
	// reported yet.
	Stopped time.Time     `json:",omitzero"`
	Idle    time.Duration `json:",omitempty"`
	Part    time.Duration `json:",omitempty"`
}

// KeptMonitored is the usage at a monitoring time that has passed and is not reported.
type KeptMonitored struct {
	At    time.Time
	Usage session.Usage
	Idle  time.Duration `json:",omitempty"`
}

// KeptActivity is when a URR counted packets.
type KeptActivity struct {
	Total, Quiet uint64
	Last, Looked time.Time
}

func sessionKey(up uint64) string { return keySession + strconv.FormatUint(up, 16) }

// keeping gives a Keeper what a later process needs. Without a Keeper it does nothing.
type keeping struct {
	to       Keeper
	counted  func(seid uint64, urr session.URRKey) session.Usage // until now
	sessions *sessions
}

// association keeps an association as it is now. The lock of associations is held.
func (k *keeping) association(a *association) {
	if k.to != nil {
		k.to.Put(keyAssociation+a.node, KeptAssociation{
			a.peer, a.recovery, a.applications, uint8(a.features), slices.Clone(a.others), slices.Clone(a.silent),
		})
	}
}

// forget drops what was kept of an association or a session.
func (k *keeping) forget(key string) {
	if k.to != nil {
		k.to.Forget(key)
	}
}

// session keeps a session as it is now. Its lock is held.
func (k *keeping) session(one *pduSession) {
	if k.to == nil || one.rules.IsZero() {
		return
	}
	cp, at := k.sessions.cpFSEID(one)
	rules := one.rules.Rules()
	kept := KeptSession{CP: cp, CPAddress: at, Node: one.association.node, Given: one.addressesGiven(), Rules: rules}
	for _, set := range one.setsOf() {
		kept.Sets = append(kept.Sets, []byte(set))
	}
	for i := range one.usage {
		u, st := rules.FindURR(one.usage[i].urr), &one.usage[i].usageState
		if kept.Usage == nil {
			kept.Usage = map[uint32]KeptUsage{}
		}
		kept.Usage[u.ID] = st.kept(k.counted(one.up, u.Key()))
	}
	k.to.Put(sessionKey(one.up), kept)
}

// KeepAll keeps all sessions as they are now, with what was counted. It is for a UPF that
// is about to be replaced.
func (s *carrier) keepAll() {
	for _, one := range s.sessions.all() {
		one.Lock()
		s.kept.session(one)
		one.Unlock()
	}
}

func (st *usageState) kept(counted session.Usage) KeptUsage {
	var before []KeptMonitored
	for _, m := range st.before {
		before = append(before, KeptMonitored{m.at, m.usage, m.idle})
	}
	return KeptUsage{
		Sequence: st.sequence, Base: st.base, Granted: octetsAlone(st.granted), Since: st.since, Began: st.began, QuotaAt: st.quotaAt,
		GivenAt: st.givenAt, Started: st.started, Ended: st.ended, VolumeUp: st.volumeUp, TimeUp: st.timeUp, Counted: counted,
		VolumeFrom: octetsAlone(st.volumeFrom), TimeFrom: st.timeFrom, Before: before, Stopped: st.stopped, Idle: st.idle, Part: st.part,
		Activity: KeptActivity{st.activity.total, st.activity.quiet, st.activity.last, st.activity.looked},
	}
}

// octetsAlone is a usage of volumes.
func octetsAlone(o session.Octets) session.Usage {
	return session.Usage{Uplink: session.Count{Octets: o.Uplink}, Downlink: session.Count{Octets: o.Downlink}}
}

func (k *KeptUsage) state() usageState {
	if k.TimeFrom.IsZero() { // of a version that knew no monitoring time
		k.VolumeFrom, k.TimeFrom = k.Base, k.Since
	}
	var before []monitored
	for _, m := range k.Before {
		before = append(before, monitored{m.At, m.Usage, m.Idle})
	}
	return usageState{
		volumeFrom: k.VolumeFrom.Octets(), timeFrom: k.TimeFrom, before: before, stopped: k.Stopped, idle: k.Idle, part: k.Part,
		sequence: k.Sequence, base: k.Base, granted: k.Granted.Octets(), since: k.Since, began: k.Began, quotaAt: k.QuotaAt,
		givenAt: k.GivenAt, started: k.Started, ended: k.Ended, volumeUp: k.VolumeUp, timeUp: k.TimeUp,
		activity: activity{total: k.Activity.Total, quiet: k.Activity.Quiet, last: k.Activity.Last, looked: k.Activity.Looked},
	}
}

// keyOf reads a key of what was kept.
func keyOf(key string) (node string, seid uint64, err error) {
	if name, ok := strings.CutPrefix(key, keyAssociation); ok {
		return name, 0, nil
	}
	text, ok := strings.CutPrefix(key, keySession)
	if !ok {
		return "", 0, fmt.Errorf("%q is not known", key)
	}
	seid, err = strconv.ParseUint(text, 16, 64)
	return "", seid, err
}

// Kept is what a Keeper kept, and the Recovery Time Stamp that it was kept with.
type Kept struct {
	Recovery uint32
	Values   map[string]json.RawMessage
	Damaged  int // values that are lost already
}

// Restored counts what came back, and what could not.
type Restored struct{ Associations, Sessions, Lost int }

// Recovery is the Recovery Time Stamp that CP functions are given.
func (s *Server) Recovery() uint32 { return s.carry.started }

// Restore brings back what was kept, with the Recovery Time Stamp of then: to CP
// functions the UPF did not restart. A session that the datapath refuses now is dropped
// and logged. It is called once, before Serve.
func (s *carrier) restore(k Kept) (r Restored) {
	s.started = k.Recovery
	sessions := map[uint64]*KeptSession{}
	r.Lost = k.Damaged
	for key, value := range k.Values {
		node, seid, err := keyOf(key)
		var one KeptSession
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
			s.log.Warn("what was kept is not restored: it cannot be read", "key", key, "err", err)
			s.kept.forget(key)
			r.Lost++
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
	return r
}

func (s *carrier) restoreAssociation(node string, value []byte) error {
	var k KeptAssociation
	if err := json.Unmarshal(value, &k); err != nil {
		return err
	}
	s.associations.restore(node, k)
	return nil
}

// restoreSession enters a session; nil when its association is not there.
func (s *carrier) restoreSession(seid uint64, k *KeptSession) *pduSession {
	a := s.associations.of(k.Node)
	if a == nil || k.Rules == nil {
		s.log.Warn("a session is not restored: its association is not there", "session", sessionKey(seid), "node", k.Node)
		s.kept.forget(sessionKey(seid))
		return nil
	}
	one := &pduSession{up: seid, cp: k.CP, association: a, rules: session.Pack(k.Rules)}
	if k.CPAddress.IsValid() {
		one.cpAddress = k.CPAddress.As16()
	}
	one.giveAddresses(k.Given)
	s.sessions.restore(one)
	one.charged = int32(filtersOf(k.Rules))
	s.associations.ownership.readmit(one)
	for _, set := range k.Sets {
		one.extra().sets = append(one.sets, string(set))
	}
	for id, u := range k.Usage {
		urr := k.Rules.FindURR(id)
		if urr == nil {
			continue
		}
		one.usage.put(id, u.state())
		if s.can.Resume != nil {
			s.can.Resume(seid, urr.Key(), u.Counted)
		}
	}
	return one
}

// bringBack has the datapath carry sessions out, all at once or, where one of them is
// refused, each by itself. It gives how many there are.
func (s *carrier) bringBack(list []*pduSession) (done int) {
	var changes []datapath.Change
	for _, one := range list {
		changes = append(changes, datapath.Change{New: one.rules.Rules()})
	}
	err := s.datapath.Apply(changes)
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
func (s *carrier) settleRestored(one *pduSession) {
	rules := one.rules.Rules()
	s.sessions.claim(rules, one.up)
	if len(rules.URRs) > 0 {
		s.reports.timers.add(time.Now(), one.up)
	}
}
