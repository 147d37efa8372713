package pfcp

import (
	"slices"
	"time"

	"github.com/upflab/upflab/upf/session"
)

// usageState is how far the usage of a URR is reported.
type usageState struct {
	sequence uint32        // UR-SEQN of the next report
	base     session.Usage // as of the last report
	since    time.Time     // the last report, or the URR's creation
	// volumeFrom and timeFrom are where thresholds count from: the last report, or the
	// monitoring time.
	volumeFrom session.Octets
	timeFrom   time.Time
	before     []monitored // the earliest first
	began      time.Time   // when the time that is measured began; zero: with the first packet
	started    bool        // traffic was seen
	activity   activity
	stopped    time.Time      // when the time stopped that is measured; zero: it runs
	idle       time.Duration  // how long it stood still since the last report
	granted    session.Octets // when the volume quota was given
	quotaAt    time.Time      // when the time quota was given
	givenAt    time.Time      // when either quota was given
	ended      bool           // the quotas ended by their holding or validity time
	volumeUp   bool           // that the volume quota is used up was reported
	timeUp     bool           // the same of the time quota
}

// reason says why a usage is reported: a Usage Report Trigger (TS 29.244 clause
// 8.2.41), octets 5 to 7.
type reason uint32

// The reasons.
const (
	becausePeriodic        reason = 1 << 16
	becauseVolumeThreshold reason = 1 << 17
	becauseTimeThreshold   reason = 1 << 18
	becauseHoldingTime     reason = 1 << 19
	becauseStart           reason = 1 << 20
	becauseStop            reason = 1 << 21
	becauseAsked           reason = 1 << 23 // IMMER
	becauseVolumeQuota     reason = 1 << 8
	becauseTimeQuota       reason = 1 << 9
	becauseLinked          reason = 1 << 10 // LIUSA
	becauseEnd             reason = 1 << 11 // TERMR
	becauseMonitoring      reason = 1 << 12 // MONIT
	becauseValidityTime    reason = 1 << 3
)

// measure prepares the states of a session's URRs for changed rules, and sets the
// limits in these. The states are the caller's own.
func (s *Server) measure(rules *session.Rules, c *changes, states *usageStates, now time.Time) {
	for i := range rules.URRs {
		u := &rules.URRs[i]
		if u.ID == watchURR && c.inactivity != nil {
			states.remove(watchURR)
		}
		st := states.of(u.ID)
		if !states.has(u.ID) {
			st = usageState{since: now, timeFrom: now, quotaAt: now, givenAt: now}
			if u.Asked.ImmediateStart {
				st.began = now
			}
		} else if given := c.updatesURR(u.ID); given != nil {
			s.grant(rules.SEID, u.ID, given, &st, now)
		}
		u.Limits = st.limits(&u.Asked)
		states.put(u.ID, st)
	}
	*states = slices.DeleteFunc(*states, func(st urrState) bool { return rules.FindURR(st.urr) == nil })
}

// grant begins quotas that are given anew.
func (s *Server) grant(seid uint64, urr uint32, given *urrChange, st *usageState, now time.Time) {
	if given.quota != nil {
		if m := s.can.Measurer; m != nil {
			if u, err := m.Usage(seid, urr); err == nil {
				st.granted = u.Octets()
			}
		}
		st.volumeUp = false
	}
	if given.timeQuota != nil {
		st.quotaAt, st.timeUp = now, false
	}
	if given.quota != nil || given.timeQuota != nil || given.validity != nil || given.holding != nil {
		st.givenAt, st.ended = now, false
	}
}

// limits are the datapath's limits for what is next.
func (st *usageState) limits(p *session.URRParameters) (l session.Limits) {
	if p.Quota != nil {
		l.Quota = p.Quota.After(st.granted)
		l.Closed = *p.Quota == (session.Octets{})
		if (p.Triggers&session.TriggerVolumeQuota != 0 || p.QuotaFAR != 0) && !st.volumeUp {
			l.Alarm = l.Quota
		}
	}
	if p.Inactivity > 0 {
		if st.ended { // the next packet
			l.Alarm.Total = st.activity.total + 1
		}
		return l
	}
	l.Closed = l.Closed || st.timeUp || st.ended
	if p.Triggers&session.TriggerVolumeThreshold != 0 && p.Threshold != nil {
		l.Alarm = l.Alarm.Earlier(p.Threshold.After(st.volumeFrom))
	}
	if !st.started && p.WantsStart() {
		l.Alarm = l.Alarm.Earlier(session.Octets{Total: st.activity.quiet + 1})
	}
	if !st.stopped.IsZero() {
		l.Alarm = l.Alarm.Earlier(session.Octets{Total: st.activity.total + 1})
	}
	if p.QuotaFAR != 0 && st.isUsedUp(p) { // that forwards what it does
		l.Quota, l.Closed = session.Octets{}, false
	}
	return l
}

// due are the reasons to report now, with what was counted until now. The parameters are the
// caller's own: a monitoring time changes them.
func (st *usageState) due(p *session.URRParameters, u session.Usage, now time.Time) (why reason) {
	if p.Inactivity > 0 {
		return st.dueByInactivity(p, u, now)
	}
	st.monitor(p, u, now)
	grew := st.activity.look(u, now)
	why = st.dueByActivity(p, u, now)
	st.detectInactivity(p, grew, now)
	if p.Triggers&session.TriggerVolumeThreshold != 0 && p.Threshold != nil && u.Octets().Since(st.volumeFrom).Reached(*p.Threshold) {
		why |= becauseVolumeThreshold
	}
	if p.Quota != nil && !st.volumeUp && u.Octets().Since(st.granted).Reached(*p.Quota) {
		st.volumeUp = true
		if p.Triggers&session.TriggerVolumeQuota != 0 {
			why |= becauseVolumeQuota
		}
	}
	return why | st.dueByTime(p, now)
}

func (st *usageState) dueByTime(p *session.URRParameters, now time.Time) (why reason) {
	passed := func(at time.Time) bool { return !at.IsZero() && !now.Before(at) }
	if passed(st.periodEnd(p)) {
		why |= becausePeriodic
	}
	if passed(st.holdingEnd(p)) {
		why |= st.end(p, session.TriggerHoldingTime, becauseHoldingTime)
	}
	if passed(st.validityEnd(p)) {
		why |= st.end(p, session.TriggerValidityTime, becauseValidityTime)
	}
	if passed(st.thresholdEnd(p)) {
		why |= becauseTimeThreshold
	}
	if passed(st.quotaEnd(p)) {
		st.timeUp = true
		if p.Triggers&session.TriggerTimeQuota != 0 {
			why |= becauseTimeQuota
		}
	}
	return why
}

// end ends the quotas, and is the reason to report that where it is asked for.
func (st *usageState) end(p *session.URRParameters, trigger session.Triggers, why reason) reason {
	st.ended = true
	if p.Triggers&trigger == 0 {
		return 0
	}
	return why
}

// Times at which something is due; zero for never.
func (st *usageState) periodEnd(p *session.URRParameters) time.Time {
	if p.Triggers&session.TriggerPeriodic == 0 || p.Period <= 0 {
		return time.Time{}
	}
	return st.since.Add(p.Period)
}

func (st *usageState) thresholdEnd(p *session.URRParameters) time.Time {
	if p.Triggers&session.TriggerTimeThreshold == 0 || p.TimeThreshold == nil || st.began.IsZero() {
		return time.Time{}
	}
	return st.unlessStopped(later(st.began, st.timeFrom).Add(*p.TimeThreshold))
}

func (st *usageState) quotaEnd(p *session.URRParameters) time.Time {
	if p.TimeQuota == nil || st.timeUp || st.began.IsZero() {
		return time.Time{}
	}
	return st.unlessStopped(later(st.began, st.quotaAt).Add(*p.TimeQuota))
}

// next is when something is due by time; zero for never.
func (st *usageState) next(p *session.URRParameters) (at time.Time) {
	for _, t := range []time.Time{st.periodEnd(p), st.thresholdEnd(p), st.quotaEnd(p), st.nextLook(p), st.validityEnd(p), p.MonitoringTime} {
		if !t.IsZero() && (at.IsZero() || t.Before(at)) {
			at = t
		}
	}
	return at
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
