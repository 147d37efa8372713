package pfcp

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/pfcp"
)

// request is one of the server's own that waits for its answer.
type request struct {
	to      netip.AddrPort
	message []byte
	pending pfcp.Pending
}

// maxRequests bounds those that wait: a CP function that answers nothing must not fill
// the memory.
const maxRequests = 1 << 16

// ask sends a request to a CP function, and again until it is answered.
func (s *Server) ask(to netip.Addr, now time.Time, build func(sequence uint32) []byte) {
	s.mu.Lock()
	if len(s.requests) >= maxRequests {
		s.counters.ReportsLost++
		s.mu.Unlock()
		return
	}
	sequence := s.beatSeq.Next()
	r := &request{to: netip.AddrPortFrom(to, s.cfg.Heartbeat.Port), message: build(sequence)}
	r.pending.Next(now, s.retransmission())
	s.requests[sequence] = r
	transmit := s.transmit
	s.mu.Unlock()
	if transmit != nil {
		transmit(r.message, r.to)
	}
}

func (s *Server) retransmission() pfcp.Retransmission {
	return pfcp.Retransmission{T1: s.cfg.Heartbeat.T1, Tries: 1 + s.cfg.Heartbeat.N1}
}

// dueRequests are those to send again now. Those that were sent often enough are given
// up.
func (s *Server) dueRequests(now time.Time) (due []dueBeat) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for sequence, r := range s.requests {
		switch r.pending.Next(now, s.retransmission()) {
		case pfcp.Send:
			due = append(due, dueBeat{r.to, r.message})
		case pfcp.GiveUp:
			delete(s.requests, sequence)
			s.counters.ReportsLost++
		}
	}
	return due
}

// reported takes the answer to a Session Report Request; false when none waits for it.
func (s *Server) reported(from source) bool {
	if from.Type != pfcp.SessionReportResponse {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	r := s.requests[from.Sequence]
	if r == nil || r.to.Addr() != from.peer.Addr() {
		return false
	}
	delete(s.requests, from.Sequence)
	return true
}
