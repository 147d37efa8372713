package attached

import (
	"errors"

	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/machine/netdev"
)

// setQueues gives the tester's ports the queues that the run asks for, and has N3 spread TEIDs
// over them. What they had is on the claim's list, and comes back with Close. The UPF's ports
// are not ours.
func (a *Attached) setQueues() error {
	if a.spec.Queues < 2 {
		return nil
	}
	for _, x := range []struct {
		point string
		port  *netdev.Port
	}{{"n3", &a.links.GNB}, {"n6", &a.links.DNN6}} {
		if err := a.claim.KeepSpread(x.port); err != nil {
			return err
		}
		if err := x.port.Queues().Set(a.spec.Queues); err != nil {
			return err
		}
		r, err := site.SpreadOver(x.port, x.point, "tester", a.spec.Spread)
		if err != nil {
			return err
		}
		a.links.NICs = append(a.links.NICs, r)
	}
	return nil
}

// Close implements site.Site: it gives the interfaces back as they were.
func (a *Attached) Close() error {
	return errors.Join(a.claim.RestoreSpreads(), a.claim.RestoreGRO(), a.host.Close())
}
