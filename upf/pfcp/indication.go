package pfcp

import (
	"encoding/binary"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// reportTypeError is ERIR of a Report Type (TS 29.244 clause 8.2.21).
const reportTypeError = 1 << 2

// indicationEvery is the least time between two reports of a session: each packet that
// is sent into a tunnel that is gone leads to an Error Indication.
const indicationEvery = time.Second

// TunnelGone tells the CP functions whose sessions send into the tunnel that its end
// knows nothing of it: it answered by an Error Indication (clause 5.5.3, TS 23.527
// clause 5.3.3.1). It reports whether any session does.
func (s *Server) TunnelGone(tunnel session.OuterHeader, now time.Time) bool {
	seids := s.remotes.of(tunnel)
	for _, seid := range seids {
		s.mu.Lock()
		one := s.sessions[seid]
		s.mu.Unlock()
		if one != nil {
			s.reportGone(one, tunnel, now)
		}
	}
	return len(seids) > 0
}

func (s *Server) reportGone(one *pduSession, tunnel session.OuterHeader, now time.Time) {
	one.mu.Lock()
	defer one.mu.Unlock()
	if one.rules.IsZero() || now.Sub(one.extra().indicated) < indicationEvery {
		return
	}
	one.indicated = now
	cp, to := s.reportTo(one)
	s.report(to, now, func(sequence uint32) []byte {
		return encode(pfcp.SessionReportRequest, cp, sequence, ie.New(ie.ReportType, []byte{reportTypeError}),
			group(ie.ErrorIndicationReport, remoteFTEID(tunnel.TEID, tunnel.Peer)))
	})
}

// remoteFTEID is the F-TEID (clause 8.2.3) of another node.
func remoteFTEID(teid uint32, at netip.Addr) *ie.IE {
	const hasIPv4, hasIPv6 = 1 << 0, 1 << 1
	flags := byte(hasIPv4)
	if !at.Is4() {
		flags = hasIPv6
	}
	b := binary.BigEndian.AppendUint32([]byte{flags}, teid)
	return ie.New(ie.FTEID, append(b, at.AsSlice()...))
}
