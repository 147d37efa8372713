package pfcp

import (
	"context"
	"net/netip"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
)

// Leave asks every CP function to release its association (TS 29.244 clause 6.2.7.3),
// and waits until they have, for as long as the period at most or until ctx is done. It
// takes no new sessions and associations meanwhile. Serve is running.
func (s *Server) Leave(ctx context.Context, period time.Duration) {
	s.mu.Lock()
	s.leaving = true
	var peers []*association
	for _, a := range s.nodes {
		peers = append(peers, a)
	}
	s.mu.Unlock()
	for _, a := range peers {
		s.askRelease(a, period)
	}
	ctx, cancel := context.WithTimeout(ctx, period)
	defer cancel()
	tick := time.NewTicker(tickEvery)
	defer tick.Stop()
	for s.awaited() > 0 {
		select {
		case <-ctx.Done():
			s.log.Warn("CP functions have not released their associations", "associations", s.awaited(), "after", period)
			return
		case <-tick.C:
		}
	}
}

// awaited is how many associations are still to be released: those whose CP function
// answers.
func (s *Server) awaited() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.nodes {
		if !a.mute {
			n++
		}
	}
	return n
}

// askRelease sends an Association Update Request with a PFCP Association Release Request
// and a Graceful Release Period.
func (s *Server) askRelease(a *association, period time.Duration) {
	const requested = 1 << 0 // SARR (clause 8.2.74)
	to := netip.AddrPortFrom(a.peer.Addr(), 0)
	s.ask(to, time.Now(), func(sequence uint32) []byte {
		return encode(pfcp.AssociationUpdateRequest, 0, sequence, s.nodeID,
			ie.New(ie.PFCPAssociationReleaseRequest, []byte{requested}), gracefulIE(period))
	}, follow{lost: func() { a.mute = true }})
}

// gracefulIE is a Graceful Release Period, a Timer in units of 2 s, of minutes or of 10
// minutes (clause 8.2.78).
func gracefulIE(period time.Duration) *ie.IE {
	for unit, size := range []time.Duration{2 * time.Second, time.Minute, 10 * time.Minute} {
		if n := (period + size - 1) / size; n < 32 {
			return ie.New(ie.GracefulReleasePeriod, []byte{byte(unit)<<5 | byte(n)})
		}
	}
	return ie.New(ie.GracefulReleasePeriod, []byte{2<<5 | 31})
}
