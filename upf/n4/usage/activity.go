package usage

import (
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

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
func (st *State) dueByActivity(p *session.URRParameters, u session.Usage, now time.Time) (why Reason) {
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
func (st *State) stopEnd(p *session.URRParameters) time.Time {
	if p.Triggers&session.TriggerStop == 0 || !st.started {
		return time.Time{}
	}
	return st.activity.last.Add(stopAfter)
}

func (st *State) holdingEnd(p *session.URRParameters) time.Time {
	if p.HoldingTime == nil || st.Ended || !p.HasQuota() {
		return time.Time{}
	}
	return later(st.activity.last, st.givenAt).Add(*p.HoldingTime)
}

// validityEnd is when quotas end whatever comes.
func (st *State) validityEnd(p *session.URRParameters) time.Time {
	if p.ValidityTime == nil || st.Ended || !p.HasQuota() {
		return time.Time{}
	}
	return st.givenAt.Add(*p.ValidityTime)
}

// nextLook is when to look for packets; zero for never.
func (st *State) nextLook(p *session.URRParameters) (at time.Time) {
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

// BecauseInactive is no reason of a usage report.
const BecauseInactive Reason = 1 << 31

// dueByInactivity says when no packet came for the time. That is due again when one did.
func (st *State) dueByInactivity(p *session.URRParameters, u session.Usage, now time.Time) Reason {
	if u.Octets().Total != st.activity.total {
		st.Ended = false
	}
	st.activity.look(u, now)
	if end := st.inactivityEnd(p); end.IsZero() || now.Before(end) {
		return 0
	}
	st.Ended = true
	return BecauseInactive
}

// Came notes that a packet came which the datapath counts later, and reports whether none had come for the time.
func (st *State) Came(now time.Time) (again bool) {
	again = st.Ended
	st.activity.last, st.Ended = later(st.activity.last, now), false
	return again
}

func (st *State) inactivityEnd(p *session.URRParameters) time.Time {
	if p.Inactivity <= 0 || st.Ended {
		return time.Time{}
	}
	return later(st.activity.last, st.since).Add(p.Inactivity)
}

// detectInactivity stops the time that is measured where no packet came for the Inactivity
// Detection Time, and has it go on with the next one (TS 29.244 clauses 5.2.2.2, 8.2.18).
func (st *State) detectInactivity(p *session.URRParameters, grew bool, now time.Time) {
	switch end := st.detectionEnd(p); {
	case !st.stopped.IsZero() && (grew || p.InactivityDetection == 0):
		st.resume(now)
	case !end.IsZero() && !now.Before(end):
		st.stopped = end
	}
}

// detectionEnd is when the time stops, when no packet comes until then; zero for never.
func (st *State) detectionEnd(p *session.URRParameters) time.Time {
	if p.InactivityDetection <= 0 || st.began.IsZero() || !st.stopped.IsZero() {
		return time.Time{}
	}
	return later(st.activity.last, st.began).Add(p.InactivityDetection)
}

// resume has the time go on: what thresholds and quotas of time count from moves by as long as
// it stood still.
func (st *State) resume(now time.Time) {
	moved := func(from time.Time) time.Time { return from.Add(now.Sub(later(st.stopped, from))) }
	st.idle += now.Sub(later(st.stopped, st.since))
	st.timeFrom, st.quotaAt = moved(later(st.began, st.timeFrom)), moved(later(st.began, st.quotaAt))
	st.stopped = time.Time{}
}

// unlessStopped is a time at which something is due, zero where time stopped before.
func (st *State) unlessStopped(end time.Time) time.Time {
	if !st.stopped.IsZero() && end.After(st.stopped) {
		return time.Time{}
	}
	return end
}

// measuredTime is how long time ran since the last report.
func (st *State) measuredTime(at time.Time) time.Duration {
	if st.began.IsZero() {
		return 0
	}
	if !st.stopped.IsZero() {
		at = sooner(at, st.stopped)
	}
	return max(0, at.Sub(later(st.began, st.since))-st.idle)
}

// monitored is the usage at a monitoring time that has passed and is not reported yet.
type monitored struct {
	at    time.Time
	usage session.Usage
	idle  time.Duration // how long time stood still until then, since the last report
}

// monitor tells usage apart where monitoring times have passed: what was counted until then
// is reported by itself, with the next report, and the thresholds and quotas that were given
// for the time after it begin (clause 5.2.2.2). Where none was, what is left of those before
// stays. The parameters are the caller's own.
func (st *State) monitor(p *session.URRParameters, u session.Usage, now time.Time) {
	for !p.MonitoringTime.IsZero() && !now.Before(p.MonitoringTime) {
		at := p.MonitoringTime
		st.before = append(slices.Clip(st.before), monitored{later(at, st.since), u, st.idle})
		if t := p.SubsequentThreshold; t != nil {
			p.Threshold, st.volumeFrom = t, u.Octets()
		}
		if t := p.SubsequentTimeThreshold; t != nil {
			p.TimeThreshold, st.timeFrom = t, at
		}
		if q := p.SubsequentQuota; q != nil {
			p.Quota, st.Granted, st.volumeUp = q, u.Octets(), false
		}
		if q := p.SubsequentTimeQuota; q != nil {
			p.TimeQuota, st.quotaAt, st.timeUp = q, at, false
		}
		NextMonitoring(p)
	}
}

// NextMonitoring makes the next of the additional monitoring times the one that is waited for.
func NextMonitoring(p *session.URRParameters) {
	var m session.Monitoring
	if len(p.Additional) > 0 {
		m, p.Additional = p.Additional[0], p.Additional[1:]
	}
	p.MonitoringTime, p.SubsequentThreshold, p.SubsequentQuota = m.Time, m.Threshold, m.Quota
	p.SubsequentTimeThreshold, p.SubsequentTimeQuota = m.TimeThreshold, m.TimeQuota
}

// Flags of a Usage Information (clause 8.2.48).
const (
	usageBefore = 1 << 0 // the monitoring time
	usageAfter  = 1 << 1
)

func usageInformation(flag byte) *ie.IE { return ie.New(ie.UsageInformation, []byte{flag}) }

// Reports are the Usage Reports of a URR: one, and one more for each monitoring time that has
// passed since the last. Each has the additional IEs.
func (st *State) Reports(typ uint16, u *session.URR, now session.Usage, why Reason, at time.Time, more ...*ie.IE) (list []*ie.IE) {
	if len(st.before) == 0 || why.IsBare() {
		return []*ie.IE{st.report(typ, u, now, why, at, more...)}
	}
	split, volumeFrom, timeFrom, idle, flag := st.before, st.volumeFrom, st.timeFrom, st.idle, byte(usageBefore)
	st.before = nil
	done := time.Duration(0)
	for _, m := range split {
		st.idle = m.idle - done
		list = append(list, st.report(typ, u, m.usage, becauseMonitoring, m.at, append(slices.Clip(more), usageInformation(flag))...))
		done, flag = m.idle, usageBefore|usageAfter
	}
	st.volumeFrom, st.timeFrom, st.idle = volumeFrom, timeFrom, idle-done // those reports were due to no threshold
	return append(list, st.report(typ, u, now, why, at, append(slices.Clip(more), usageInformation(usageAfter))...))
}
