package procedure

import (
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/tally"
)

// Ask sends a request with the configured times, and again until it is answered.
func (s *Nodes) Ask(to netip.AddrPort, now time.Time, build func(sequence uint32) []byte, then ask.Follow) {
	s.Requests.Ask(to, s.Associations.Tunables().Heartbeat, now, build, then)
}

func (s *Nodes) Heartbeat(p request.Heartbeat, from request.Source) Outcome {
	s.Count(func(c *tally.Counters) { c.Heartbeats++ })
	if p.HasRecovery {
		s.Restarted(from.Peer, p.Recovery)
	}
	return Outcome{Answer: pfcp.Encode(pfcp.HeartbeatResponse, 0, from.Sequence, s.recoveryIE())}
}

// DueBeats returns the requests to send now, and ends associations whose CP
// function has not answered N1 repetitions.
func (s *Nodes) DueBeats(now time.Time) (due []ask.Datagram) {
	beats, lost := s.Associations.Liveness.DueBeats(now, &s.Requests.Numbers)
	for _, one := range beats {
		due = append(due, ask.Datagram{To: one.To, Message: pfcp.Encode(pfcp.HeartbeatRequest, 0, one.Sequence, s.recoveryIE())})
	}
	for _, a := range lost {
		s.Later(func() {
			s.Bequeath(a)
			if err := s.Carry.end(a); err != nil {
				s.Log.Error("delete sessions of a lost CP function", "node", a.Node, "err", err) // the next tick tries again
			}
		})
	}
	return due
}
