package memory

import (
	"fmt"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

type usageKey struct {
	seid uint64
	urr  session.URRKey
}

type usage struct {
	session.Usage
	limits session.Limits
	told   bool
}

// settle makes the usages of a session's URRs, with their limits, and gives away those
// of URRs that it no longer has.
func (d *Datapath) settle(c datapath.Change) {
	if c.New != nil {
		for _, r := range c.New.URRs {
			k := usageKey{c.New.SEID, r.Key()}
			if d.usages[k] == nil {
				d.usages[k] = &usage{Usage: d.resumed[k]}
				delete(d.resumed, k)
			}
			if u := d.usages[k]; u.limits != r.Limits {
				u.limits, u.told = r.Limits, false
			}
		}
	}
	if c.Old == nil {
		return
	}
	for _, r := range c.Old.URRs {
		k := usageKey{c.Old.SEID, r.Key()}
		u := d.usages[k]
		if u == nil || c.New.Counts(k.urr) {
			continue
		}
		if c.Final != nil {
			c.Final(k.urr, u.Usage)
		}
		delete(d.usages, k)
	}
}

// Use counts packets for a URR, as if it had forwarded them at a time, and raises its
// alarm.
func (d *Datapath) Use(seid uint64, urr session.URRKey, uplink, downlink session.Count, at time.Time) {
	d.mu.Lock()
	u, alarm := d.usages[usageKey{seid, urr}], d.alarm
	raise := false
	if u != nil {
		u.Uplink.Packets += uplink.Packets
		u.Uplink.Octets += uplink.Octets
		u.Downlink.Packets += downlink.Packets
		u.Downlink.Octets += downlink.Octets
		if uplink.Packets+downlink.Packets > 0 {
			u.come(at)
		}
		raise = !u.told && u.Octets().Reached(u.limits.Alarm)
		u.told = u.told || raise
	}
	d.mu.Unlock()
	if raise && alarm != nil {
		alarm(seid, urr)
	}
}

// come notes when packets came.
func (u *usage) come(at time.Time) {
	if u.First.IsZero() {
		u.First = at
	}
	u.Last = at
}

// Limits are those of a session's URR now.
func (d *Datapath) Limits(seid uint64, urr session.URRKey) session.Limits {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.usages[usageKey{seid, urr}]; u != nil {
		return u.limits
	}
	return session.Limits{}
}

// Usage implements datapath.Measurer.
func (d *Datapath) Usage(seid uint64, urr session.URRKey) (session.Usage, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.usages[usageKey{seid, urr}]
	if u == nil {
		return session.Usage{}, fmt.Errorf("session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	return u.Usage, nil
}

// Mark implements datapath.Measurer.
func (d *Datapath) Mark(seid uint64, urr session.URRKey) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if u := d.usages[usageKey{seid, urr}]; u != nil {
		u.First = time.Time{}
	}
}

// SetLimits implements datapath.Measurer.
func (d *Datapath) SetLimits(seid uint64, urr session.URRKey, l session.Limits) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	u := d.usages[usageKey{seid, urr}]
	if u == nil {
		return fmt.Errorf("session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	u.limits, u.told = l, false
	return nil
}

// Resume makes a URR's count continue from u.
func (d *Datapath) Resume(seid uint64, urr session.URRKey, u session.Usage) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.resumed[usageKey{seid, urr}] = u
}

// OnAlarm implements datapath.Measurer.
func (d *Datapath) OnAlarm(f func(seid uint64, urr session.URRKey)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.alarm = f
}

// OnHold implements datapath.Holder.
func (d *Datapath) OnHold(f func(datapath.Held)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = f
}

// Hold hands a packet on, as if a FAR with BUFF, or DUPL, asked for it.
func (d *Datapath) Hold(h datapath.Held) { d.hold(h) }

// Count implements datapath.Holder.
func (d *Datapath) Count(seid uint64, urr session.URRKey, c session.Count) {
	d.Use(seid, urr, session.Count{}, c, time.Now())
}

// Usages is how many URRs are counted.
func (d *Datapath) Usages() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.usages)
}
