package pfcp

import (
	"time"

	"github.com/upflab/upflab/upf/session"
)

// detectInactivity stops the time that is measured where no packet came for the Inactivity
// Detection Time, and has it go on with the next one (TS 29.244 clauses 5.2.2.2, 8.2.18).
func (st *usageState) detectInactivity(p *session.URRParameters, grew bool, now time.Time) {
	switch end := st.detectionEnd(p); {
	case !st.stopped.IsZero() && (grew || p.InactivityDetection == 0):
		st.resume(now)
	case !end.IsZero() && !now.Before(end):
		st.stopped = end
	}
}

// detectionEnd is when the time stops, when no packet comes until then; zero for never.
func (st *usageState) detectionEnd(p *session.URRParameters) time.Time {
	if p.InactivityDetection <= 0 || st.began.IsZero() || !st.stopped.IsZero() {
		return time.Time{}
	}
	return later(st.activity.last, st.began).Add(p.InactivityDetection)
}

// resume has the time go on: what thresholds and quotas of time count from moves by as long as
// it stood still.
func (st *usageState) resume(now time.Time) {
	moved := func(from time.Time) time.Time { return from.Add(now.Sub(later(st.stopped, from))) }
	st.idle += now.Sub(later(st.stopped, st.since))
	st.timeFrom, st.quotaAt = moved(later(st.began, st.timeFrom)), moved(later(st.began, st.quotaAt))
	st.stopped = time.Time{}
}

// unlessStopped is a time at which something is due, zero where time stopped before.
func (st *usageState) unlessStopped(end time.Time) time.Time {
	if !st.stopped.IsZero() && end.After(st.stopped) {
		return time.Time{}
	}
	return end
}

// measuredTime is how long time ran since the last report.
func (st *usageState) measuredTime(at time.Time) time.Duration {
	if st.began.IsZero() {
		return 0
	}
	if !st.stopped.IsZero() {
		at = sooner(at, st.stopped)
	}
	return max(0, at.Sub(later(st.began, st.since))-st.idle)
}
