package pfcp

import (
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// Peers lists the addresses at which tunnels of sessions end: the paths that a UP
// function supervises.
func (s *Server) Peers() []netip.Addr { return s.remotes.all() }

// Flags of a Node Report Type (TS 29.244 clause 8.2.69).
const (
	nodeReportUPFR = 1 << 0 // a path failed
	nodeReportUPRR = 1 << 1 // a path is back
)

// PathFailed tells the CP functions that have sessions with the peer that its path does
// not answer any more (clause 6.2.9), PathRecovered that it does again.
func (s *Server) PathFailed(peer netip.Addr) {
	s.log.Warn("a GTP-U peer does not answer", "peer", peer)
	s.reportPath(peer, nodeReportUPFR, ie.UserPlanePathFailureReport)
}

// PathRecovered is the end of a PathFailed.
func (s *Server) PathRecovered(peer netip.Addr) {
	s.log.Info("a GTP-U peer answers again", "peer", peer)
	s.reportPath(peer, nodeReportUPRR, ie.UserPlanePathRecoveryReport)
}

func (s *Server) reportPath(peer netip.Addr, kind byte, typ uint16) {
	what := group(typ, remotePeerIE(peer))
	for _, to := range s.withSessions(s.remotes.at(peer)) {
		s.report(to, time.Now(), func(sequence uint32) []byte {
			return encode(pfcp.NodeReportRequest, 0, sequence, s.nodeID, ie.New(ie.NodeReportType, []byte{kind}), what)
		})
		s.count(func(c *Counters) { c.NodeReports++ })
	}
}

// withSessions lists the addresses of the CP functions that have one of the sessions.
func (s *Server) withSessions(seids []uint64) (list []netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	seen := map[*association]bool{}
	for _, seid := range seids {
		if one := s.sessions[seid]; one != nil && !seen[one.association] {
			seen[one.association] = true
			list = append(list, one.association.peer.Addr())
		}
	}
	return list
}

// remotePeerIE is a Remote GTP-U Peer (clause 8.2.70).
func remotePeerIE(peer netip.Addr) *ie.IE {
	const hasIPv6, hasIPv4 = 1 << 0, 1 << 1
	flags := byte(hasIPv4)
	if !peer.Is4() {
		flags = hasIPv6
	}
	return ie.New(ie.RemoteGTPUPeer, append([]byte{flags}, peer.AsSlice()...))
}
