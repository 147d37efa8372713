package n4

import (
	"net/netip"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/report"
	"github.com/upflab/upflab/upf/session"
)

// Onward lists the tunnels that the packets of a local TEID are forwarded into: those of
// a session that goes on to another UPF, or comes from one.
func (s *Server) Onward(teid uint32) (list []session.OuterHeader) {
	one := s.sessions.Get(s.sessions.TEIDs.OwnerOf(teid))
	if one == nil {
		return nil
	}
	one.Lock()
	defer one.Unlock()
	rules := one.Rules.Rules()
	if rules == nil {
		return nil
	}
	for i := range rules.PDRs {
		p := &rules.PDRs[i]
		if !p.PDI.HasTEID || p.PDI.TEID != teid {
			continue
		}
		far := rules.FindFAR(p.FAR)
		if far.Action&session.Forward != 0 && far.Outer != nil && !far.Outer.Kind.OnN6() && !slices.Contains(list, *far.Outer) {
			list = append(list, *far.Outer)
		}
	}
	return list
}

// Peers lists the addresses at which tunnels of sessions end: the paths that a UP
// function supervises.
func (s *Server) Peers() []netip.Addr { return s.sessions.Remotes.All() }

// PathFailed tells the CP functions that have sessions with the peer that its path does
// not answer any more (clause 6.2.9), PathRecovered that it does again.
func (s *Server) PathFailed(peer netip.Addr) {
	s.log.Warn("a GTP-U peer does not answer", "peer", peer)
	s.reports.Path(peer, report.NodeReportUPFR, ie.UserPlanePathFailureReport)
}

// PathRecovered is the end of a PathFailed.
func (s *Server) PathRecovered(peer netip.Addr) {
	s.log.Info("a GTP-U peer answers again", "peer", peer)
	s.reports.Path(peer, report.NodeReportUPRR, ie.UserPlanePathRecoveryReport)
}

// TunnelGone tells the CP functions whose sessions send into the tunnel that its end
// knows nothing of it: it answered by an Error Indication (clause 5.5.3, TS 23.527
// clause 5.3.3.1). It reports whether any session does.
func (s *Server) TunnelGone(tunnel session.OuterHeader, now time.Time) bool {
	seids := s.sessions.Remotes.Of(tunnel)
	for _, seid := range seids {
		if one := s.sessions.Get(seid); one != nil {
			s.reports.Gone(one, tunnel, now)
		}
	}
	return len(seids) > 0
}
