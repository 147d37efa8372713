package trial

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/netdev"
	"github.com/upflab/upflab/internal/site"
	"github.com/upflab/upflab/internal/smf"
)

// errNoN4 is a DUT whose sessions cannot be changed.
var errNoN4 = errors.New("it has no N4, so there is no path to switch")

// otherGNB is the address of a second gNB: the one after the first's.
func (dp *Deployment) otherGNB() (netip.Addr, error) {
	s := dp.Scenario
	next := s.N3.GNB.Next()
	if next == s.N3.UPF {
		next = next.Next()
	}
	if !netip.PrefixFrom(s.N3.GNB, s.N3.Prefix).Masked().Contains(next) {
		return next, fmt.Errorf("a second gNB needs an address behind n3.gnb %s, and %s is not in its subnet of %d bits: set n3.gnb lower", s.N3.GNB, next, s.N3.Prefix)
	}
	return next, nil
}

// PrepareHandover gives N3 the address of a second gNB, which the UPF knows as a
// neighbour.
func (dp *Deployment) PrepareHandover() error {
	if !dp.Endpoint.HasN4() {
		return errNoN4
	}
	gnb, err := dp.otherGNB()
	if err != nil {
		return err
	}
	l := dp.site.Links()
	if err := l.GNB.AddAddress(gnb); err != nil {
		return err
	}
	if !dp.site.OwnsUPF() {
		return nil
	}
	return dp.site.Provide(site.Needs{Neighbours: []netdev.Neighbour{{Device: l.UPFN3.Name, IP: gnb, MAC: l.GNB.MAC}}})
}

// Handover moves a UE, by its number from 0, to the gNB where it is not: the UE first,
// then its path by a Session Modification with end markers (TS 23.502 clause 4.9.1.2,
// TS 29.244 clause 5.2.3.2). It returns how long the modification took.
func (dp *Deployment) Handover(ctx context.Context, ue int) (time.Duration, error) {
	if !dp.Endpoint.HasN4() {
		return 0, errNoN4
	}
	to, err := dp.otherGNB()
	if err != nil {
		return 0, err
	}
	if dp.sessions[ue].GNB == to {
		to = dp.Scenario.N3.GNB
	}
	u := dp.gateway.UEs()[ue]
	u.GNB = to
	if err := dp.gateway.Set(u); err != nil {
		return 0, err
	}
	start := time.Now()
	changed, err := dp.n4.Modify(ctx, dp.sessions[ue:ue+1], func(e smf.Established) smf.Change {
		return smf.Change{GNB: to, TEID: e.DownlinkTEID, EndMarker: true}
	})
	took := time.Since(start)
	if err != nil {
		return took, fmt.Errorf("switch the path of UE %d: %w", ue+1, err)
	}
	dp.sessions[ue] = changed[0]
	return took, nil
}
