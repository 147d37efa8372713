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

// usagesOf finds a row's usages, or makes them, and those whose quotas drop packets.
func (t *Table) usagesOf(seid uint64, urrs []*session.URR) (all, quotas []*usage) {
	for _, u := range urrs {
		use := t.usageOf(usageKey{seid, u.Key()}, u.Limits)
		if all = append(all, use); u.Asked.QuotaFAR == 0 {
			quotas = append(quotas, use)
		}
	}
	return all, quotas
}

func (t *Table) usageOf(k usageKey, l session.Limits) *usage {
	u := t.usages[k]
	if u == nil {
		u = &usage{key: k, limits: l, Usage: t.resumed[k]}
		t.usages[k] = u
		delete(t.resumed, k)
	}
	return u
}

// settleUsages gives those of a session's URRs their limits that stay, and the others'
// usage away.
func (t *Table) settleUsages(c datapath.Change) {
	if c.New != nil {
		for i := range c.New.URRs {
			r := &c.New.URRs[i]
			u := t.usageOf(usageKey{c.New.SEID, r.Key()}, r.Limits)
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
		if c.New.Counts(k.urr) || t.usages[k] == nil {
			continue
		}
		if c.Final != nil {
			c.Final(k.urr, t.usages[k].Usage)
		}
		delete(t.usages, k)
	}
}

// forget drops what a session's new rules, which are not taken, made beyond the old.
func (t *Table) forget(new, old *session.Rules) {
	t.forgetMeters(new, old)
	if new == nil {
		return
	}
	for i := range new.URRs {
		if k := new.URRs[i].Key(); !old.Counts(k) {
			delete(t.usages, usageKey{new.SEID, k})
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
func (t *Table) wallClock(now uint64) time.Time {
	if t.today.IsZero() || now != t.todayAt {
		t.today, t.todayAt = time.Now(), now
	}
	return t.today
}

// use counts a packet that is forwarded.
func (f *Forwarder) use(d *Decision) {
	for _, u := range d.row.usages {
		f.add(u, d.row.from, session.Count{Packets: 1, Octets: uint64(len(d.TPDU))}, f.wallClock(d.now))
	}
}

// add counts packets from a side, and raises the alarm that they reach.
func (t *Table) add(u *usage, from session.Interface, c session.Count, at time.Time) {
	u.come(at)
	count := &u.Uplink
	if from == session.Core {
		count = &u.Downlink
	}
	count.Packets += c.Packets
	count.Octets += c.Octets
	if !u.told && t.alarm != nil && u.Octets().Reached(u.limits.Alarm) {
		u.told = true
		t.alarm(u.key.seid, u.key.urr)
	}
}

// Usage implements datapath.Measurer.
func (t *Table) Usage(seid uint64, urr session.URRKey) (session.Usage, error) {
	u := t.usages[usageKey{seid, urr}]
	if u == nil {
		return session.Usage{}, fmt.Errorf("session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	return u.Usage, nil
}

// Mark implements datapath.Measurer.
func (t *Table) Mark(seid uint64, urr session.URRKey) {
	if u := t.usages[usageKey{seid, urr}]; u != nil {
		u.First = time.Time{}
	}
}

// SetLimits implements datapath.Measurer.
func (t *Table) SetLimits(seid uint64, urr session.URRKey, l session.Limits) error {
	u := t.usages[usageKey{seid, urr}]
	if u == nil {
		return fmt.Errorf("session %#x: URR %d is not in the datapath", seid, urr.ID())
	}
	u.limits, u.told = l, false
	return nil
}

// Resume makes a URR's count continue from u.
func (t *Table) Resume(seid uint64, urr session.URRKey, u session.Usage) {
	t.resumed[usageKey{seid, urr}] = u
}

// OnAlarm implements datapath.Measurer.
func (t *Table) OnAlarm(f func(seid uint64, urr session.URRKey)) { t.alarm = f }
