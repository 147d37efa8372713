package pfcp

import (
	"context"
	"encoding/binary"
	"net/netip"
	"sync"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// requests are the server's own, which it repeats until they are answered: reports, and the
// set-up and release of associations. The lock is held for no call.
type requests struct {
	numbers pfcp.Sequence // of heartbeats, too
	*tally

	mu       sync.Mutex
	waiting  map[uint32]*request               // by sequence number
	transmit func(b []byte, to netip.AddrPort) // nil before Serve
}

func newRequests(t *tally) *requests { return &requests{tally: t, waiting: map[uint32]*request{}} }

// request waits for its answer.
type request struct {
	to      netip.AddrPort
	message []byte
	pending pfcp.Pending
	follow
}

// follow is what happens when a request has its answer, or is given up; each is nil
// when nothing does.
type follow struct {
	answered func(from source, ies []byte)
	lost     func(now time.Time)
}

func (f *follow) giveUp(now time.Time) {
	if f.lost != nil {
		f.lost(now)
	}
}

// maxRequests bounds those that wait: a CP function that answers nothing must not fill
// the memory.
const maxRequests = 1 << 16

// begin sets the function that sends requests.
func (l *requests) begin(transmit func(b []byte, to netip.AddrPort)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.transmit = transmit
}

// ask sends a request to a CP function, and again until it is answered, at the times that h
// gives. Port 0 is h's, at which CP functions listen.
func (l *requests) ask(to netip.AddrPort, h Heartbeat, now time.Time, build func(sequence uint32) []byte, then follow) {
	if to.Port() == 0 {
		to = netip.AddrPortFrom(to.Addr(), h.Port)
	}
	sequence := l.numbers.Next()
	r := &request{to: to, message: build(sequence), follow: then}
	transmit, ok := l.add(r, sequence, h, now)
	switch {
	case !ok:
		r.giveUp(now)
	case transmit != nil:
		transmit(r.message, r.to)
	}
}

func (l *requests) add(r *request, sequence uint32, h Heartbeat, now time.Time) (transmit func([]byte, netip.AddrPort), ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.waiting) >= maxRequests {
		return nil, false
	}
	r.pending.Next(now, h.retransmission())
	l.waiting[sequence] = r
	return l.transmit, true
}

// retransmission is when a request that has no answer is sent again.
func (h Heartbeat) retransmission() pfcp.Retransmission {
	return pfcp.Retransmission{T1: h.T1, Tries: 1 + h.N1}
}

// datagramTo is one to be sent.
type datagramTo struct {
	to      netip.AddrPort
	message []byte
}

// due lists those to send again now. Those that were sent often enough are given up.
func (l *requests) due(h Heartbeat, now time.Time) []datagramTo {
	again, lost := l.take(h, now)
	for _, r := range lost {
		r.giveUp(now)
	}
	return again
}

func (l *requests) take(h Heartbeat, now time.Time) (again []datagramTo, lost []*request) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for sequence, r := range l.waiting {
		switch r.pending.Next(now, h.retransmission()) {
		case pfcp.Send:
			again = append(again, datagramTo{r.to, r.message})
		case pfcp.GiveUp:
			delete(l.waiting, sequence)
			lost = append(lost, r)
		}
	}
	return again, lost
}

// settled takes the answer to one of the requests; false when none waits for it.
func (l *requests) settled(from source, ies []byte) bool {
	l.mu.Lock()
	r := l.waiting[from.Sequence]
	if r == nil || r.to.Addr() != from.peer.Addr() || from.Type != r.answerType() {
		l.mu.Unlock()
		return false
	}
	delete(l.waiting, from.Sequence)
	l.mu.Unlock()
	if from.Type == pfcp.SessionReportResponse {
		l.count(func(c *Counters) { c.ReportsAnswered++ })
	}
	if r.answered != nil {
		r.answered(from, ies)
	}
	return true
}

func (r *request) answerType() pfcp.MessageType { return pfcp.MessageType(r.message[1]) + 1 }

// ask sends a request with the configured times, and again until it is answered.
func (s *nodes) ask(to netip.AddrPort, now time.Time, build func(sequence uint32) []byte, then follow) {
	s.requests.ask(to, s.associations.tunables().Heartbeat, now, build, then)
}

// heartbeat is a Heartbeat Request (TS 29.244 clauses 6.2.2, 7.4.2.1).
type heartbeat struct {
	recovery    uint32
	hasRecovery bool
}

// decodeHeartbeat accepts a request without a Recovery Time Stamp, which is
// mandatory: the response has no cause to refuse it with, and the path works.
func decodeHeartbeat(f fields) (procedure, error) {
	b, err := f.must(ie.RecoveryTimeStamp, 4)
	if err != nil {
		return heartbeat{}, nil
	}
	return heartbeat{binary.BigEndian.Uint32(b), true}, nil
}

func (s *nodes) heartbeat(p heartbeat, from source) outcome {
	s.count(func(c *Counters) { c.Heartbeats++ })
	if p.hasRecovery {
		s.restarted(from.peer, p.recovery)
	}
	return outcome{answer: pfcp.Encode(pfcp.HeartbeatResponse, 0, from.Sequence, s.recoveryIE())}
}

// response takes a response to what the server asked.
func (s *receiver) response(from source, ies []byte) {
	if s.requests.settled(from, ies) {
		return
	}
	if !s.associations.liveness.answered(from) {
		s.count(func(c *Counters) { c.Unexpected++ })
		return
	}
	p, err := decode(pfcp.Header{Type: pfcp.HeartbeatRequest}, ies)
	if err != nil {
		s.count(func(c *Counters) { c.Malformed++ })
		return
	}
	if h := p.(heartbeat); h.hasRecovery {
		s.nodes.restarted(from.peer, h.recovery)
	}
}

// beat is the state of the heartbeats sent to a CP function.
type beat struct {
	next     time.Time    // when the next request is due
	to       netip.Addr   // where the request went that waits for its answer
	sequence uint32       // of that request
	pending  pfcp.Pending // that request; not sent when none waits
}

// answered notes the answer to a heartbeat; false when none was pending.
func (l *liveness) answered(from source) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	a := l.beating(from)
	if a == nil {
		return false
	}
	a.beat = beat{next: from.at.Add(l.settings.Heartbeat.Interval)}
	a.confirmed, a.challenged = true, false
	return true
}

// beating finds the association whose heartbeat is answered. The lock is held.
func (l *table) beating(from source) *association {
	if from.Type != pfcp.HeartbeatResponse {
		return nil
	}
	for _, a := range l.nodes {
		if a.beat.pending.Sent > 0 && a.beat.sequence == from.Sequence && a.beat.to == from.peer.Addr() {
			return a
		}
	}
	return nil
}

func (h Heartbeat) withDefaults() Heartbeat {
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

// beat sends heartbeats until ctx is done. Without an interval it sends them only
// to CP functions whose Node ID another address claims.
func (s *Server) beat(ctx context.Context, to write) {
	period := s.associations.liveness.beatPeriod()
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, one := range s.nodes.dueBeats(now) {
				s.send(to, one.message, one.to)
			}
			if now := s.associations.liveness.beatPeriod(); now != period {
				period = now
				tick.Reset(period)
			}
		}
	}
}

// beatPeriod is how often to look for heartbeats that are due.
func (l *liveness) beatPeriod() time.Duration {
	h := l.tunables().Heartbeat
	period := h.T1
	if h.Interval > 0 {
		period = min(period, h.Interval)
	}
	return period / 2
}

// dueBeats returns the requests to send now, and ends associations whose CP
// function has not answered N1 repetitions.
func (s *nodes) dueBeats(now time.Time) (due []datagramTo) {
	beats, lost := s.associations.liveness.dueBeats(now, &s.requests.numbers)
	for _, one := range beats {
		due = append(due, datagramTo{one.to, pfcp.Encode(pfcp.HeartbeatRequest, 0, one.sequence, s.recoveryIE())})
	}
	for _, a := range lost {
		s.later(func() {
			s.bequeath(a)
			if err := s.carry.end(a); err != nil {
				s.log.Error("delete sessions of a lost CP function", "node", a.node, "err", err) // the next tick tries again
			}
		})
	}
	return due
}

// dueBeats lists the sequence numbers of the heartbeats to send now, and the associations that
// end, since their CP functions answered none: the N4 path has failed. Where one association is that
// of a set, another SMF of it is asked first.
func (l *liveness) dueBeats(now time.Time, numbers *pfcp.Sequence) (due []dueBeat, lost []*association) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.nodes {
		if a.ending {
			continue
		}
		switch a.nextBeat(now, l.settings.Heartbeat, numbers) {
		case pfcp.Send:
			due = append(due, dueBeat{netip.AddrPortFrom(a.beat.to, l.settings.Heartbeat.Port), a.beat.sequence})
		case pfcp.GiveUp:
			if l.turn(a, now) {
				continue
			}
			l.log.Warn("the CP function does not answer heartbeats, its association ends", "node", a.node,
				"peer", a.peer.Addr(), "port", l.settings.Heartbeat.Port, "tries", a.beat.pending.Sent, "sessions", len(a.sessions))
			a.ending = true
			lost = append(lost, a)
		}
	}
	return due, lost
}

// dueBeat is a heartbeat to send.
type dueBeat struct {
	to       netip.AddrPort
	sequence uint32
}

// nextBeat says what to do about a CP function's heartbeat: a request is due
// Interval after the association, or after the last answer.
func (a *association) nextBeat(now time.Time, h Heartbeat, numbers *pfcp.Sequence) pfcp.Step {
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
	return b.pending.Next(now, h.retransmission())
}
