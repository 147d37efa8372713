package association

import (
	"net/netip"
	"slices"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/n4/request"
)

// SetsOf are the FQ-CSIDs that the session was established with.
func (p *Session) SetsOf() []string {
	if p.Extras == nil {
		return nil
	}
	return p.Sets
}

// Deletion is the change that ends a session.
func (p *Session) Deletion() datapath.Change {
	c := datapath.Change{Old: p.Rules.Rules()}
	if e := p.Extras; e != nil && e.Final != nil {
		e.Final.Old, e.Final.States = c.Old, p.Usage
		c.Final = e.Final.Take
	}
	return c
}

// restart is a CP function that restarted, and its sessions from before.
type restart struct {
	Of   *Association
	Gone []*Session
}

// Restarted finds the CP functions at the address whose Recovery Time Stamp is older than this one
// (TS 23.527 clause 4.4.2).
func (l *liveness) Restarted(from netip.AddrPort, recovery uint32) (list []restart) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard(from.Addr())
	for _, a := range l.at(from) {
		if a.Ending {
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
		l.log.Warn("the CP function restarted, its sessions are deleted", "node", a.Node, "sessions", len(gone))
		l.connectAgain(from.Addr())
		list = append(list, restart{a, gone})
	}
	return list
}

// Retry has the next heartbeat delete sessions from before a restart that could not be deleted, and no
// others: the CP function may have set up new ones since.
func (l *liveness) Retry(r restart) {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := append(r.Of.remains, r.Gone...) // two restarts may have the same one
	slices.SortFunc(list, bySEID)
	r.Of.remains = slices.Compact(list)
}

// Retransmission is when a request that has no answer is sent again.
func (h Heartbeat) Retransmission() pfcp.Retransmission {
	return pfcp.Retransmission{T1: h.T1, Tries: 1 + h.N1}
}

// beat is the state of the heartbeats sent to a CP function.
type beat struct {
	next     time.Time    // when the next request is due
	to       netip.Addr   // where the request went that waits for its answer
	sequence uint32       // of that request
	pending  pfcp.Pending // that request; not sent when none waits
}

// Answered notes the answer to a heartbeat; false when none was pending.
func (l *liveness) Answered(from request.Source) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.beating(from)
	if a == nil {
		return false
	}
	a.beat = beat{next: from.At.Add(l.Settings.Heartbeat.Interval)}
	a.confirmed, a.challenged = true, false
	return true
}

// beating finds the association whose heartbeat is answered. The lock is held.
func (l *table) beating(from request.Source) *Association {
	if from.Type != pfcp.HeartbeatResponse {
		return nil
	}
	for _, a := range l.Nodes {
		if a.beat.pending.Sent > 0 && a.beat.sequence == from.Sequence && a.beat.to == from.Peer.Addr() {
			return a
		}
	}
	return nil
}

func (h Heartbeat) WithDefaults() Heartbeat {
	if h.T1 <= 0 {
		h.T1 = time.Second
	}
	if h.N1 <= 0 {
		h.N1 = 3
	}
	if h.Port == 0 {
		h.Port = pfcp.Port
	}
	return h
}

// BeatPeriod is how often to look for heartbeats that are due.
func (l *liveness) BeatPeriod() time.Duration {
	h := l.Tunables().Heartbeat
	period := h.T1
	if h.Interval > 0 {
		period = min(period, h.Interval)
	}
	return period / 2
}

// DueBeats lists the sequence numbers of the heartbeats to send now, and the associations that
// end, since their CP functions answered none: the N4 path has failed. Where one association is that
// of a set, another SMF of it is asked first.
func (l *liveness) DueBeats(now time.Time, numbers *pfcp.Sequence) (due []dueBeat, lost []*Association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.Nodes {
		if a.Ending {
			continue
		}
		switch a.nextBeat(now, l.Settings.Heartbeat, numbers) {
		case pfcp.Send:
			due = append(due, dueBeat{netip.AddrPortFrom(a.beat.to, l.Settings.Heartbeat.Port), a.beat.sequence})
		case pfcp.GiveUp:
			if l.turn(a, now) {
				continue
			}
			l.log.Warn("the CP function does not answer heartbeats, its association ends", "node", a.Node,
				"peer", a.Peer.Addr(), "port", l.Settings.Heartbeat.Port, "tries", a.beat.pending.Sent, "sessions", len(a.Sessions))
			a.Ending = true
			lost = append(lost, a)
		}
	}
	return due, lost
}

// dueBeat is a heartbeat to send.
type dueBeat struct {
	To       netip.AddrPort
	Sequence uint32
}

// nextBeat says what to do about a CP function's heartbeat: a request is due
// Interval after the association, or after the last answer.
func (a *Association) nextBeat(now time.Time, h Heartbeat, numbers *pfcp.Sequence) pfcp.Step {
	b := &a.beat
	switch {
	case a.challenged: // now
	case h.Interval <= 0:
		return pfcp.Wait
	case b.next.IsZero():
		b.next = now.Add(h.Interval)
		return pfcp.Wait
	case now.Before(b.next):
		return pfcp.Wait
	}
	if b.pending.Sent == 0 {
		b.sequence, b.to = numbers.Next(), a.contact()
	}
	return b.pending.Next(now, h.Retransmission())
}
