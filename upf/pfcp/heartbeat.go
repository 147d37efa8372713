package pfcp

import (
	"context"
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

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

func (p heartbeat) run(s *Server, from source) outcome {
	s.count(func(c *Counters) { c.Heartbeats++ })
	if p.hasRecovery {
		s.restarted(from.peer, p.recovery)
	}
	return outcome{answer: encode(pfcp.HeartbeatResponse, 0, from.Sequence, s.recoveryIE())}
}

// response takes a response to what the server asked.
func (s *Server) response(from source, ies []byte) {
	if s.settled(from, ies) {
		return
	}
	if !s.answered(from) {
		s.count(func(c *Counters) { c.Unexpected++ })
		return
	}
	p, err := decode(pfcp.Header{Type: pfcp.HeartbeatRequest}, ies)
	if err != nil {
		s.count(func(c *Counters) { c.Malformed++ })
		return
	}
	if h := p.(heartbeat); h.hasRecovery {
		s.restarted(from.peer, h.recovery)
	}
}

// answered notes the answer to a heartbeat; false when none was pending.
func (s *Server) answered(from source) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	a := s.beating(from)
	if a == nil {
		return false
	}
	a.beat = beat{next: from.at.Add(s.cfg.Heartbeat.Interval)}
	a.confirmed, a.challenged = true, false
	return true
}

// beating finds the association whose heartbeat is answered.
func (s *Server) beating(from source) *association {
	if from.Type != pfcp.HeartbeatResponse {
		return nil
	}
	for _, a := range s.nodes {
		if a.beat.pending.Sent > 0 && a.beat.sequence == from.Sequence && a.peer.Addr() == from.peer.Addr() {
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
	period := s.beatPeriod()
	tick := time.NewTicker(period)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, one := range s.dueBeats(now) {
				s.send(to, one.request, one.to)
			}
			if now := s.beatPeriod(); now != period {
				period = now
				tick.Reset(period)
			}
		}
	}
}

// beatPeriod is how often to look for heartbeats that are due.
func (s *Server) beatPeriod() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	period := s.cfg.Heartbeat.T1
	if s.cfg.Heartbeat.Interval > 0 {
		period = min(period, s.cfg.Heartbeat.Interval)
	}
	return period / 2
}

type dueBeat struct {
	to      netip.AddrPort
	request []byte
}

// dueBeats returns the requests to send now, and ends associations whose CP
// function has not answered N1 repetitions.
func (s *Server) dueBeats(now time.Time) []dueBeat {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []dueBeat
	for _, a := range s.nodes {
		if a.ending {
			continue
		}
		switch s.nextBeat(a, now) {
		case pfcp.Send:
			to := netip.AddrPortFrom(a.peer.Addr(), s.cfg.Heartbeat.Port)
			due = append(due, dueBeat{to, encode(pfcp.HeartbeatRequest, 0, a.beat.sequence, s.recoveryIE())})
		case pfcp.GiveUp:
			s.lost(a)
		}
	}
	return due
}

// nextBeat says what to do about a CP function's heartbeat: a request is due
// Interval after the association, or after the last answer.
func (s *Server) nextBeat(a *association, now time.Time) pfcp.Step {
	b, h := &a.beat, s.cfg.Heartbeat
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
		b.sequence = s.beatSeq.Next()
	}
	return b.pending.Next(now, pfcp.Retransmission{T1: h.T1, Tries: 1 + h.N1})
}

// lost ends an association that does not answer: the N4 path has failed. The lock
// is held.
func (s *Server) lost(a *association) {
	s.log.Warn("the CP function does not answer heartbeats, its association ends", "node", a.node,
		"peer", a.peer.Addr(), "port", s.cfg.Heartbeat.Port, "tries", a.beat.pending.Sent, "sessions", len(a.sessions))
	a.ending = true
	s.later(func() {
		if err := s.end(a); err != nil {
			s.log.Error("delete sessions of a lost CP function", "node", a.node, "err", err) // the next tick tries again
		}
	})
}
