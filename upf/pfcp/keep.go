package pfcp

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"
	"time"

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
	// Stopped is when the time that is measured stopped, Idle how long it stood still.
	Stopped time.Time     `json:",omitzero"`
	Idle    time.Duration `json:",omitempty"`
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

// keepAssociation keeps an association as it is now. The lock is held.
func (s *Server) keepAssociation(a *association) {
	if s.cfg.Keeper != nil {
		s.cfg.Keeper.Put(keyAssociation+a.node, KeptAssociation{a.peer, a.recovery, a.applications})
	}
}

// forgetKept drops what was kept of an association or a session.
func (s *Server) forgetKept(key string) {
	if s.cfg.Keeper != nil {
		s.cfg.Keeper.Forget(key)
	}
}

// keepSession keeps a session as it is now. Its lock is held.
func (s *Server) keepSession(one *pduSession) {
	if s.cfg.Keeper == nil || one.rules.IsZero() {
		return
	}
	s.mu.Lock()
	k := KeptSession{CP: one.cp, CPAddress: address4(one.cpAddress), Node: one.association.node, Given: one.addressesGiven()}
	s.mu.Unlock()
	k.Rules = one.rules.Rules()
	for _, set := range one.setsOf() {
		k.Sets = append(k.Sets, []byte(set))
	}
	for i := range one.usage {
		id, st := one.usage[i].urr, &one.usage[i].usageState
		if k.Usage == nil {
			k.Usage = map[uint32]KeptUsage{}
		}
		k.Usage[id] = st.kept(s.counted(one.up, id))
	}
	s.cfg.Keeper.Put(sessionKey(one.up), k)
}

func (s *Server) counted(up uint64, urr uint32) (u session.Usage) {
	if m := s.can.Measurer; m != nil {
		u, _ = m.Usage(up, urr) // where it cannot be read, what is counted is lost, no more
	}
	return u
}

// KeepAll keeps all sessions as they are now, with what was counted. It is for a UPF that
// is about to be replaced.
func (s *Server) KeepAll() {
	s.mu.Lock()
	all := make([]*pduSession, 0, len(s.sessions))
	for _, one := range s.sessions {
		all = append(all, one)
	}
	s.mu.Unlock()
	for _, one := range all {
		one.mu.Lock()
		s.keepSession(one)
		one.mu.Unlock()
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
		VolumeFrom: octetsAlone(st.volumeFrom), TimeFrom: st.timeFrom, Before: before, Stopped: st.stopped, Idle: st.idle,
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
		volumeFrom: k.VolumeFrom.Octets(), timeFrom: k.TimeFrom, before: before, stopped: k.Stopped, idle: k.Idle,
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
