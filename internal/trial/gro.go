package trial

import (
	"errors"

	"github.com/upflab/upflab/internal/scenario"
)

// setGRO decides whether the kernel merges what arrives at the UPF's ports before the UPF
// sees it. By itself it does so at the parent of a macvlan device alone, whose child gets
// what is merged without a transmission that would cut it: most UPFs cannot cut it either.
func (dp *Deployment) setGRO() error {
	l := dp.site.Links()
	switch {
	case !dp.site.OwnsUPF():
		return nil
	case dp.Scenario.GRO == scenario.GROOn:
		return errors.Join(l.UPFN3.SetGRO(true), l.UPFN6.SetGRO(true))
	case dp.Scenario.GRO == scenario.GROOff || l.UPFN3.Lower != nil || l.UPFN6.Lower != nil:
		return errors.Join(l.UPFN3.SetGRO(false), l.UPFN6.SetGRO(false))
	}
	return nil
}

// MergesAtN6 reports whether the kernel merges segments at the UPF's N6.
func (dp *Deployment) MergesAtN6() bool {
	if !dp.site.OwnsUPF() {
		return false
	}
	on, err := dp.site.Links().UPFN6.GRO()
	return err == nil && on
}
