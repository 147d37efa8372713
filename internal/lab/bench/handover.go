package bench

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// errNoN4 is a DUT whose sessions cannot be changed.
var errNoN4 = errors.New("it has no N4, so there is no path to switch")

// otherGNB gives the address of a second gNB: the one after that of the first.
func (u *UEs) otherGNB() (netip.Addr, error) {
	s := u.Scenario
	next := s.N3.GNB.Next()
	if next == s.N3.UPF {
		next = next.Next()
	}
	if !netip.PrefixFrom(s.N3.GNB, s.N3.Prefix).Masked().Contains(next) {
		return next, fmt.Errorf("a second gNB needs an address behind n3.gnb %s, and %s is not in its subnet of "+
			"%d bits: set n3.gnb lower", s.N3.GNB, next, s.N3.Prefix)
	}
	return next, nil
}

// PrepareHandover gives N3 the address of a second gNB, which the UPF knows as a
// neighbour.
func (u *UEs) PrepareHandover() error {
	if !u.Endpoint.HasN4() {
		return errNoN4
	}
	gnb, err := u.otherGNB()
	if err != nil {
		return err
	}
	l := u.site.Links()
	if err := l.GNB.AddAddress(gnb); err != nil {
		return err
	}
	if !u.site.OwnsUPF() {
		return nil
	}
	return u.site.Provide(site.Needs{Neighbours: []netdev.Neighbour{{Device: l.UPFN3.Name, IP: gnb, MAC: l.GNB.MAC}}})
}

// Handover moves a UE, by its number from 0, to the gNB where it is not: the UE first,
// then its path by a Session Modification with end markers (TS 23.502 clause 4.9.1.2,
// TS 29.244 clause 5.2.3.2). It returns how long the modification took.
func (u *UEs) Handover(ctx context.Context, ue int) (time.Duration, error) {
	if !u.Endpoint.HasN4() {
		return 0, errNoN4
	}
	to, err := u.otherGNB()
	if err != nil {
		return 0, err
	}
	if u.SMF.sessions[ue].GNB == to {
		to = u.Scenario.N3.GNB
	}
	moved := u.gateway.UEs()[ue]
	moved.GNB = to
	if err := u.gateway.Set(moved); err != nil {
		return 0, err
	}
	return u.SMF.switchPath(ctx, ue, to)
}
