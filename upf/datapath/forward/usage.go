package forward

import (
	"fmt"
	"slices"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// usage is what a URR counts.
type usage struct {
	key usageKey
	session.Usage
	limits session.Limits
	told   bool // that the alarm is reached
}

// usageKey says whose usage it is.
type usageKey struct {
	seid uint64
	urr  session.URRKey
}

// usages is what the URRs of all sessions count.
type usages struct {
	all     map[usageKey]*usage
	resumed map[usageKey]session.Usage            // where usages begin that are not there yet
	alarm   func(seid uint64, urr session.URRKey) // nil: nobody listens
	// today is the time of day of the packets that came at todayAt, of the routers' clock.
	today   time.Time
	todayAt uint64
}

// usagesOf finds a row's usages, or makes them, and those whose quotas drop packets.
func (a *usages) usagesOf(seid uint64, urrs []*session.URR) (all, quotas []*usage) {
	for _, u := range urrs {
		use := a.usageOf(usageKey{seid, u.Key()}, u.Limits)
		if all = append(all, use); u.Asked.QuotaFAR == 0 {
			quotas = append(quotas, use)
		}
	}
	return all, quotas
}

func (a *usages) usageOf(k usageKey, l session.Limits) *usage {
	u := a.all[k]
	if u == nil {
		u = &usage{key: k, limits: l, Usage: a.resumed[k]}
		a.all[k] = u
		delete(a.resumed, k)
	}
	return u
}

// settleUsages gives those of a session's URRs their limits that stay, and the others'
// usage away.
func (a *usages) settleUsages(c datapath.Change) {
	if c.New != nil {
		for i := range c.New.URRs {
			r := &c.New.URRs[i]
			u := a.usageOf(usageKey{c.New.SEID, r.Key()}, r.Limits)
			if u.limits != r.Limits {
				u.limits, u.told = r.Limits, false
			}
		}
	}
	if c.Old == nil {
		return
	}
	for i := range c.Old.URRs {
		k := usageKey{c.Old.SEID, c.Old.URRs[i].Key()}
		if c.New.Counts(k.urr) || a.all[k] == nil {
			continue
		}
		if c.Final != nil {
			c.Final(k.urr, a.all[k].Usage)
		}
		delete(a.all, k)
	}
}

// forgetUsages drops those that a session's new rules, which are not taken, made beyond the old.
func (a *usages) forgetUsages(new, old *session.Rules) {
	if new == nil {
		return
	}
	for i := range new.URRs {
		if k := new.URRs[i].Key(); !old.Counts(k) {
			delete(a.all, usageKey{new.SEID, k})
		}
	}
}

// usedUp reports whether a quota has no room for a further packet.
func (r *row) usedUp() bool { return slices.ContainsFunc(r.quotas, (*usage).isUsedUp) }

// isUsedUp reports whether nothing is left of the URR's quota.
func (u *usage) isUsedUp() bool { return u.limits.Closed || u.Octets().Reached(u.limits.Quota) }

// come notes when a packet came.
func (u *usage) come(at time.Time) {
	if u.First.IsZero() {
		u.First = at
	}
	u.Last = at
}

// wallClock is the time of day at a time of the routers' clock, which stands still for a batch of packets: the system
// is asked once for each.
func (a *usages) wallClock(now uint64) time.Time {
	if a.today.IsZero() || now != a.todayAt {
		a.today, a.todayAt = time.Now(), now
	}
	return a.today
}

// use counts a packet that is forwarded.
func (f *Forwarder) use(d *Decision) {
	for _, u := range d.row.usages {
		f.add(u, d.row.from, session.Count{Packets: 1, Octets: uint64(len(d.TPDU))}, f.wallClock(d.now))
	}
}

// add counts packets from a side, and raises the alarm that they reach.
func (a *usages) add(u *usage, from session.Interface, c session.Count, at time.Time) {
	u.come(at)
	count := &u.Uplink
	if from == session.Core {
		count = &u.Downlink
	}
	count.Packets += c.Packets
	count.Octets += c.Octets
	if !u.told && a.alarm != nil && u.Octets().Reached(u.limits.Alarm) {
		u.told = true
		a.alarm(u.key.seid, u.key.urr)
	}
}

// Usage implements datapath.Measurer.
func (a *usages) Usage(seid uint64, urr session.URRKey) (session.Usage, error) {
	u := a.all[usageKey{seid, urr}]
	if u == nil {
		return session.Usage{}, fmt.Errorf("session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	return u.Usage, nil
}

// Mark implements datapath.Measurer.
func (a *usages) Mark(seid uint64, urr session.URRKey) {
	if u := a.all[usageKey{seid, urr}]; u != nil {
		u.First = time.Time{}
	}
}

// SetLimits implements datapath.Measurer.
func (a *usages) SetLimits(seid uint64, urr session.URRKey, l session.Limits) error {
	u := a.all[usageKey{seid, urr}]
	if u == nil {
		return fmt.Errorf("session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	u.limits, u.told = l, false
	return nil
}

// Resume makes a URR's count continue from u.
func (a *usages) Resume(seid uint64, urr session.URRKey, u session.Usage) {
	a.resumed[usageKey{seid, urr}] = u
}

// OnAlarm implements datapath.Measurer.
func (a *usages) OnAlarm(f func(seid uint64, urr session.URRKey)) { a.alarm = f }

// Count implements datapath.Holder.
func (a *usages) Count(seid uint64, urr session.URRKey, c session.Count) {
	if u := a.all[usageKey{seid, urr}]; u != nil {
		a.add(u, session.Core, c, time.Now())
	}
}
