package pfcp

import (
	"time"

	"github.com/upflab/upflab/upf/session"
)

// stopAfter is how long no packet comes until traffic has stopped. TS 29.244 leaves it to
// the UP function.
const stopAfter = 10 * time.Second

// looks is how often it is looked for packets within a time without any: the time is
// exact to 1/looks of it.
const looks = 8

// activity is when a URR counted packets, as far as it was looked.
type activity struct {
	total  uint64    // octets, when it was looked last
	last   time.Time // when they were seen to have grown
	looked time.Time
	quiet  uint64 // octets, when traffic stopped
}

// look reports whether it counted since it was looked last.
func (a *activity) look(u session.Usage, now time.Time) (grew bool) {
	total := u.Octets().Total
	if grew = total != a.total; grew {
		a.total, a.last = total, now
	}
	a.looked = now
	return grew
}

// dueByActivity notes where traffic starts and stops.
func (st *usageState) dueByActivity(p *session.URRParameters, u session.Usage, now time.Time) (why reason) {
	if !st.started && st.activity.total > st.activity.quiet {
		st.started = true
		if st.began.IsZero() {
			st.began = u.First
		}
		if p.Triggers&session.TriggerStart != 0 {
			why |= becauseStart
		}
	}
	if end := st.stopEnd(p); !end.IsZero() && !now.Before(end) {
		st.started, st.activity.quiet = false, st.activity.total
		why |= becauseStop
	}
	return why
}

// Times at which something is due when no packet comes until then; zero for never.
func (st *usageState) stopEnd(p *session.URRParameters) time.Time {
	if p.Triggers&session.TriggerStop == 0 || !st.started {
		return time.Time{}
	}
	return st.activity.last.Add(stopAfter)
}

func (st *usageState) holdingEnd(p *session.URRParameters) time.Time {
	if p.HoldingTime == nil || st.ended || !p.HasQuota() {
		return time.Time{}
	}
	return later(st.activity.last, st.givenAt).Add(*p.HoldingTime)
}

// validityEnd is when quotas end whatever comes.
func (st *usageState) validityEnd(p *session.URRParameters) time.Time {
	if p.ValidityTime == nil || st.ended || !p.HasQuota() {
		return time.Time{}
	}
	return st.givenAt.Add(*p.ValidityTime)
}

// nextLook is when to look for packets; zero for never.
func (st *usageState) nextLook(p *session.URRParameters) (at time.Time) {
	if end := st.inactivityEnd(p); !end.IsZero() {
		return sooner(end, later(st.activity.looked, st.since).Add(p.Inactivity/looks))
	}
	if end := st.stopEnd(p); !end.IsZero() {
		at = sooner(end, st.activity.looked.Add(stopAfter/looks))
	}
	if end := st.holdingEnd(p); !end.IsZero() {
		at = first(at, sooner(end, later(st.activity.looked, st.givenAt).Add(*p.HoldingTime/looks)))
	}
	if end := st.detectionEnd(p); !end.IsZero() {
		at = first(at, sooner(end, later(st.activity.looked, st.began).Add(p.InactivityDetection/looks)))
	}
	return at
}

// first is the earlier of two times, of which a may be zero.
func first(a, b time.Time) time.Time {
	if a.IsZero() {
		return b
	}
	return sooner(a, b)
}

func sooner(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}
