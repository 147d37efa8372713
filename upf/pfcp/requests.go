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
	follow
}

// follow is what happens when a request has its answer, or is given up; each is nil
// when nothing does. lost is called with the server's lock held.
type follow struct {
	answered func(from source, ies []byte)
	lost     func()
}

// maxRequests bounds those that wait: a CP function that answers nothing must not fill
// the memory.
const maxRequests = 1 << 16

// report sends a report to a CP function, and again until it is answered.
func (s *Server) report(to netip.Addr, now time.Time, build func(sequence uint32) []byte) {
	lost := func() { s.counters.ReportsLost++ }
	s.ask(netip.AddrPortFrom(to, 0), now, build, follow{lost: lost})
}

// ask sends a request to a CP function, and again until it is answered. Port 0 is the
// one that CP functions listen at.
func (s *Server) ask(to netip.AddrPort, now time.Time, build func(sequence uint32) []byte, then follow) {
	s.mu.Lock()
	if len(s.requests) >= maxRequests {
		then.giveUp()
		s.mu.Unlock()
		return
	}
	if to.Port() == 0 {
		to = netip.AddrPortFrom(to.Addr(), s.cfg.Heartbeat.Port)
	}
	sequence := s.beatSeq.Next()
	r := &request{to: to, message: build(sequence), follow: then}
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
			r.giveUp()
		}
	}
	return due
}

func (f *follow) giveUp() {
	if f.lost != nil {
		f.lost()
	}
}

// settled takes the answer to a request of the server's own; false when none waits for
// it.
func (s *Server) settled(from source, ies []byte) bool {
	s.mu.Lock()
	r := s.requests[from.Sequence]
	if r == nil || r.to.Addr() != from.peer.Addr() || from.Type != r.answerType() {
		s.mu.Unlock()
		return false
	}
	delete(s.requests, from.Sequence)
	if from.Type == pfcp.SessionReportResponse {
		s.counters.ReportsAnswered++
	}
	s.mu.Unlock()
	if r.answered != nil {
		r.answered(from, ies)
	}
	return true
}

func (r *request) answerType() pfcp.MessageType { return pfcp.MessageType(r.message[1]) + 1 }
