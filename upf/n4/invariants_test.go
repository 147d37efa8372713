package n4

import (
	"net/netip"
	"reflect"
	"runtime/metrics"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/keys"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// What one datagram may cost. The time is what the thread used of its CPU; a
// guest's includes what the host took away, so a replay has to confirm it.
const (
	maxAnswer    = 4096    // octets
	maxAllocated = 4 << 20 // octets, kept or not
	maxTime      = 5 * time.Millisecond
)

// costs are the highest of a campaign.
type costs struct {
	datagrams, answers             int
	answer, allocated              int           // octets
	time                           time.Duration // of the slowest datagram
	slow                           bool          // one took longer than maxTime
	causes                         map[pfcp.Cause]int
	established, modified, deleted uint64
}

func newCosts() *costs { return &costs{causes: map[pfcp.Cause]int{}} }

// receiveOne gives a datagram to the server and holds the answer to the request.
func (w *world) receiveOne(b []byte) []byte {
	before, begin := allocated(), threadTime()
	answer := w.receiver.receive(b, w.peer, w.now)
	took := threadTime() - begin
	w.catchUp()
	bytes := int(allocated() - before)
	w.note(b)
	c := w.costs
	c.datagrams, w.datagrams = c.datagrams+1, w.datagrams+1
	c.allocated, c.answer, c.time = max(c.allocated, bytes), max(c.answer, len(answer)), max(c.time, took)
	c.slow = c.slow || took > maxTime
	if bytes > maxAllocated && !w.among {
		w.t.Errorf("%d octets from %v took %d octets of memory: %x", len(b), w.peer, bytes, b)
	}
	w.checkAnswer(b, answer)
	return answer
}

func allocated() uint64 {
	sample := [1]metrics.Sample{{Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample[:])
	return sample[0].Value.Uint64()
}

// threadTime is what the calling thread used of its CPU; live is locked to it.
func threadTime() time.Duration {
	var t unix.Timespec
	unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &t)
	return time.Duration(t.Nano())
}

// note remembers the Node ID of an association that has just been made.
func (w *world) note(b []byte) {
	h, ies, _, err := pfcp.Parse(b)
	if err != nil || h.Type != pfcp.AssociationSetupRequest {
		return
	}
	pfcp.Decode(ies, func(all []*ie.IE) error {
		node, err := request.NodeIDOf(request.Fields(all))
		if err == nil && w.associations.Of(node) != nil {
			w.raw[node] = request.Fields(all).Find(ie.NodeID).Payload
		}
		return nil
	})
}

// checkAnswer holds an answer to the header of the request.
func (w *world) checkAnswer(b, answer []byte) {
	if answer == nil {
		return
	}
	w.costs.answers++
	q, _, _, err := pfcp.Parse(b)
	h, ies, rest, bad := pfcp.Parse(answer)
	right := h.Type == q.Type+1 || h.Type == pfcp.VersionNotSupported && err == pfcp.ErrVersion
	switch {
	case bad != nil || len(rest) > 0 || len(answer) > maxAnswer:
		w.t.Errorf("answer of %d octets, %d left, %v: %x", len(answer), len(rest), bad, answer)
	case !q.Type.IsRequest() && err != pfcp.ErrVersion || !right || h.Sequence != q.Sequence || h.HasSEID != h.Type.OfSession():
		w.t.Errorf("%x is answered by %x", b, answer)
	}
	if err := pfcp.Decode(ies, w.countCause); err != nil {
		w.t.Errorf("answer %x: %v", answer, err)
	}
}

func (w *world) countCause(all []*ie.IE) error {
	if cause := request.Fields(all).Find(ie.Cause); cause != nil {
		w.costs.causes[pfcp.Cause(cause.Payload[0])]++
	}
	return nil
}

// check holds the server's tables to each other and to the datapath.
func (w *world) check() {
	w.checkSessions()
	w.checkTEIDs()
	w.checkSources()
	if !w.among && w.receiver.answers.replies.Len() > w.datagrams {
		w.t.Errorf("%d answers kept of %d datagrams", w.receiver.answers.replies.Len(), w.datagrams)
	}
}

// inForce reports whether the datapath has the rules. Limits may have been replaced
// since it was given them: its own must be the same. What they were made of may have changed
// at a monitoring time, and is nothing to the datapath.
func (w *world) inForce(r *session.Rules) bool {
	has, want := w.dp.Session(r.SEID), r.Clone()
	if has == nil {
		return false
	}
	for i := range want.URRs {
		u := &want.URRs[i]
		if w.dp.Limits(r.SEID, u.Key()) != u.Limits || i >= len(has.URRs) {
			return false
		}
		*u, has.URRs[i] = session.URR{ID: u.ID, Generation: u.Generation}, session.URR{ID: has.URRs[i].ID, Generation: has.URRs[i].Generation}
	}
	return reflect.DeepEqual(has, want)
}

// checkSessions: every session has an association, and its rules are the
// datapath's.
func (w *world) checkSessions() {
	if n := w.dp.Len(); n != len(w.sessions.BySEID) {
		w.t.Errorf("%d sessions, %d in the datapath", len(w.sessions.BySEID), n)
	}
	for seid, one := range w.sessions.BySEID {
		a, rules := one.Association, one.Rules.Rules()
		switch {
		case one.Up != seid || a.Sessions[one.Place] != one || w.associations.Nodes[a.Node] != a:
			w.t.Errorf("session %#x is not its association's: %+v", seid, one)
		case rules == nil || !w.inForce(rules):
			w.t.Errorf("session %#x has rules %+v, in the datapath %+v", seid, rules, w.dp.Session(seid))
		case len(rules.PDRs) > w.associations.Settings.Limits.Rules ||
			len(rules.FARs) > w.associations.Settings.Limits.Rules ||
			len(rules.QERs) > w.associations.Settings.Limits.Rules:
			w.t.Errorf("session %#x is beyond the limits", seid)
		}
	}
	if len(w.sessions.BySEID) > w.cfg.MaxSessions {
		w.t.Errorf("%d sessions", len(w.sessions.BySEID))
	}
}

// checkTEIDs: the TEIDs that are owned are those in PDRs.
func (w *world) checkTEIDs() {
	used := map[uint32]uint64{}
	for seid, one := range w.sessions.BySEID {
		for _, teid := range keys.TEIDsOf(one.Rules.Rules()) {
			if other, taken := used[teid]; taken && other != seid {
				w.t.Errorf("TEID %#x is in sessions %#x and %#x", teid, other, seid)
			}
			used[teid] = seid
			if w.sessions.TEIDs.Owner[teid] != seid {
				w.t.Errorf("TEID %#x of session %#x belongs to session %#x", teid, seid, w.sessions.TEIDs.Owner[teid])
			}
		}
	}
	if len(used) != len(w.sessions.TEIDs.Owner) {
		w.t.Errorf("PDRs have %d TEIDs, %d are owned: %v", len(used), len(w.sessions.TEIDs.Owner), w.sessions.TEIDs.Owner)
	}
}

// checkSources: what addresses are charged for is what they have, within the
// limits.
func (w *world) checkSources() {
	want := map[netip.Addr]association.Charge{}
	sessions := 0
	for node, a := range w.associations.Nodes {
		u := want[a.Peer.Addr()]
		u.Associations++
		u.Sessions += len(a.Sessions)
		for _, one := range a.Sessions {
			u.Filters += change.FiltersOf(one.Rules.Rules())
		}
		want[a.Peer.Addr()] = u
		sessions += len(a.Sessions)
		if a.Node != node || a.Ending {
			w.t.Errorf("association %q: %+v", node, a)
		}
	}
	for address, u := range want {
		if got := w.associations.Sources[address]; got == nil || *got != u ||
			u.Associations > w.associations.Settings.Limits.Associations ||
			u.Sessions > w.associations.Settings.Limits.Sessions ||
			u.Filters > w.associations.Settings.Limits.Filters {
			w.t.Errorf("%v is charged for %+v and has %+v", address, got, u)
		}
	}
	if len(want) != len(w.associations.Sources) || sessions != len(w.sessions.BySEID) {
		w.t.Errorf("%d sources are charged, %d have associations; %d sessions, %d of associations",
			len(w.associations.Sources), len(want), len(w.sessions.BySEID), sessions)
	}
}
