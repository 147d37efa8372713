package pfcp

import (
	"context"
	"encoding/binary"
	"net"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"
)

// heartbeat is a Heartbeat Request (TS 29.244 clauses 6.2.2, 7.4.2.1).
type heartbeat struct {
	recovery    uint32
	hasRecovery bool
}

// decodeHeartbeat accepts a request without a Recovery Time Stamp, which is
// mandatory: the response has no cause to refuse it with, and the path lives.
func decodeHeartbeat(f fields) (procedure, error) {
	b, err := f.must(ie.RecoveryTimeStamp, 4)
	if err != nil {
		return heartbeat{}, nil
	}
	return heartbeat{binary.BigEndian.Uint32(b), true}, nil
}

func (p heartbeat) run(s *Server, from source) outcome {
	s.counters.Heartbeats++
	if p.hasRecovery {
		s.restarted(from.peer, p.recovery)
	}
	return outcome{answer: encode(heartbeatResponse, 0, from.sequence, s.recoveryIE())}
}

// response takes a response; only those to heartbeats are asked for.
func (s *Server) response(from source, ies []byte) {
	a := s.beating(from)
	if a == nil {
		s.counters.Unexpected++
		return
	}
	a.beat.tries = 0
	p, err := decode(header{typ: heartbeatRequest}, ies)
	if err != nil {
		s.counters.Malformed++
		return
	}
	if h := p.(heartbeat); h.hasRecovery {
		s.restarted(from.peer, h.recovery)
	}
}

// beating finds the association whose heartbeat is answered.
func (s *Server) beating(from source) *association {
	if from.typ != heartbeatResponse {
		return nil
	}
	for _, a := range s.nodes {
		if a.beat.tries > 0 && a.beat.sequence == from.sequence && a.peer.Addr() == from.peer.Addr() {
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
		h.Port = Port
	}
	return h
}

// beat sends heartbeats until ctx is done.
func (s *Server) beat(ctx context.Context, conn net.PacketConn) {
	if s.cfg.Heartbeat.Interval <= 0 {
		return
	}
	tick := time.NewTicker(min(s.cfg.Heartbeat.T1, s.cfg.Heartbeat.Interval) / 2)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-tick.C:
			for _, one := range s.dueBeats(now) {
				s.send(conn, one.request, net.UDPAddrFromAddrPort(one.to))
			}
		}
	}
}

type dueBeat struct {
	to      netip.AddrPort
	request []byte
}

// dueBeats gives the requests to send now, and ends associations whose CP
// function has not answered N1 repetitions.
func (s *Server) dueBeats(now time.Time) []dueBeat {
	s.mu.Lock()
	defer s.mu.Unlock()
	var due []dueBeat
	for _, a := range s.nodes {
		switch {
		case a.beat.due.IsZero():
			a.beat.due = now.Add(s.cfg.Heartbeat.Interval)
		case now.Before(a.beat.due):
		case a.beat.tries > s.cfg.Heartbeat.N1:
			s.lost(a)
		default:
			due = append(due, dueBeat{netip.AddrPortFrom(a.peer.Addr(), s.cfg.Heartbeat.Port), s.nextBeat(a, now)})
		}
	}
	return due
}

// nextBeat builds a new request, or the pending one again.
func (s *Server) nextBeat(a *association, now time.Time) []byte {
	if a.beat.tries == 0 {
		s.beatSeq = (s.beatSeq + 1) & 0xffffff
		a.beat.sequence = s.beatSeq
	}
	a.beat.tries++
	a.beat.due = now.Add(s.cfg.Heartbeat.T1)
	return encode(heartbeatRequest, 0, a.beat.sequence, s.recoveryIE())
}

// lost ends an association that does not answer: the N4 path has failed.
func (s *Server) lost(a *association) {
	s.log.Warn("the CP function does not answer heartbeats, its association ends",
		"node", a.node, "peer", a.peer.Addr(), "port", s.cfg.Heartbeat.Port, "tries", a.beat.tries, "sessions", len(a.sessions))
	if err := s.clear(a); err != nil {
		s.log.Error("delete sessions of a lost CP function", "node", a.node, "err", err)
		return // tried again at the next tick
	}
	delete(s.nodes, a.node)
}
