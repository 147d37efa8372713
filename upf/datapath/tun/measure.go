package tun

import (
	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

var (
	_ datapath.Measurer = (*Datapath)(nil)
	_ datapath.Holder   = (*Datapath)(nil)
)

// Usage is datapath.Measurer's.
func (d *Datapath) Usage(seid uint64, urr uint32) (session.Usage, error) {
	return d.rules.Usage(seid, urr)
}

// SetLimits is datapath.Measurer's.
func (d *Datapath) SetLimits(seid uint64, urr uint32, l session.Limits) error {
	return d.rules.SetLimits(seid, urr, l)
}

// OnAlarm is datapath.Measurer's.
func (d *Datapath) OnAlarm(f func(seid uint64, urr uint32)) { d.rules.OnAlarm(f) }

// OnHold is datapath.Holder's.
func (d *Datapath) OnHold(f func(seid uint64, pdr uint16, tpdu []byte)) { d.rules.OnHold(f) }

// Count is datapath.Holder's.
func (d *Datapath) Count(seid uint64, urr uint32, c session.Count) { d.rules.Count(seid, urr, c) }
