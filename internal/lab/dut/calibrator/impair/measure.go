package impair

import (
	"github.com/upflab/upflab/upf/session"
)

// Usage implements datapath.Measurer. Packets count that the rules forward, whatever the plan
// does to them then.
func (d *Datapath) Usage(seid uint64, urr session.URRKey) (u session.Usage, err error) {
	if !d.loop.do(func() { u, err = d.loop.forwarder.Usage(seid, urr) }) {
		return u, errClosed
	}
	return u, err
}

// Mark implements datapath.Measurer.
func (d *Datapath) Mark(seid uint64, urr session.URRKey) {
	d.loop.do(func() { d.loop.forwarder.Mark(seid, urr) })
}

// SetLimits implements datapath.Measurer.
func (d *Datapath) SetLimits(seid uint64, urr session.URRKey, l session.Limits) (err error) {
	if !d.loop.do(func() { err = d.loop.forwarder.SetLimits(seid, urr, l) }) {
		return errClosed
	}
	return err
}

// OnAlarm implements datapath.Measurer.
func (d *Datapath) OnAlarm(f func(seid uint64, urr session.URRKey)) {
	d.loop.do(func() { d.loop.forwarder.OnAlarm(f) })
}
