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
	part       time.Duration  // of a second that was measured before, and that no report has
	granted    session.Octets // when the volume quota was given
	quotaAt    time.Time      // when the time quota was given
	givenAt    time.Time      // when either quota was given
	ended      bool           // the quotas ended by their holding or validity time
	volumeUp   bool           // that the volume quota is used up was reported
	timeUp     bool           // the same of the time quota
}

// newUsage is the state of a URR that is created.
func newUsage(p *session.URRParameters, now time.Time) usageState {
	st := usageState{since: now, timeFrom: now, quotaAt: now, givenAt: now}
	if p.ImmediateStart {
		st.began = now
	}
	return st
}

// grant begins the quotas that a change gives anew. What was counted until then is in granted.
func (st *usageState) grant(given *urrChange, now time.Time) {
	if given.quota != nil {
		st.volumeUp = false
	}
	if given.timeQuota != nil {
		st.quotaAt, st.timeUp = now, false
	}
	if given.quota != nil || given.timeQuota != nil || given.validity != nil || given.holding != nil {
		st.givenAt, st.ended = now, false
	}
}

// splits is how many monitoring times have passed whose usage is not reported yet.
func (st *usageState) splits() int { return len(st.before) }

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

// limits are the datapath's limits for what is next.
func (st *usageState) limits(p *session.URRParameters) (l session.Limits) {
	if p.Quota != nil {
		l.Quota = p.Quota.After(st.granted)
		l.Closed = *p.Quota == (session.Octets{})
		if p.Triggers&session.TriggerVolumeQuota != 0 && !st.volumeUp {
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

// usageStates are how far the usage of a session's URRs is reported: a few, in no order.
type usageStates []urrState

type urrState struct {
	urr uint32
	usageState
}

func (l usageStates) find(urr uint32) int {
	return slices.IndexFunc(l, func(st urrState) bool { return st.urr == urr })
}

func (l usageStates) has(urr uint32) bool { return l.find(urr) >= 0 }

// of is the state of a URR; the zero one where there is none.
func (l usageStates) of(urr uint32) (st usageState) {
	if i := l.find(urr); i >= 0 {
		st = l[i].usageState
	}
	return st
}

// put sets a URR's state.
func (l *usageStates) put(urr uint32, st usageState) {
	if i := l.find(urr); i >= 0 {
		(*l)[i].usageState = st
		return
	}
	*l = append(*l, urrState{urr, st})
}

// remove forgets a URR.
func (l *usageStates) remove(urr uint32) {
	if i := l.find(urr); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}

// withQuotaActions are rules in which all quotas with a FAR for that are used up.
func withQuotaActions(r *session.Rules) *session.Rules {
	var fars map[uint32]uint32 // by URR
	for i := range r.URRs {
		if u := &r.URRs[i]; u.Asked.QuotaFAR != 0 {
			if fars == nil {
				fars = map[uint32]uint32{}
			}
			fars[u.ID] = u.Asked.QuotaFAR
		}
	}
	if len(fars) == 0 {
		return r
	}
	r = r.Clone()
	for i := range r.PDRs {
		p := &r.PDRs[i]
		for _, urr := range p.URRs {
			if far := fars[urr]; far != 0 {
				p.FAR = far
				break
			}
		}
	}
	return r
}

// checkQuotaActions wants the FARs of quotas to forward or drop, in ways that their PDRs can
// take.
func checkQuotaActions(r *session.Rules, offers session.Action) error {
	any := false
	for i := range r.URRs {
		u := &r.URRs[i]
		if u.Asked.QuotaFAR == 0 {
			continue
		}
		any = true
		far := r.FindFAR(u.Asked.QuotaFAR)
		switch {
		case far == nil:
			return ruleError(session.KindURR, u.ID, "its FAR %d for the quota action is not in the session", u.Asked.QuotaFAR)
		case far.Action&^session.Duplicate != session.Forward && far.Action != session.Drop:
			return ruleError(session.KindURR, u.ID, "its FAR %d for the quota action neither forwards nor drops", far.ID)
		}
	}
	if !any {
		return nil
	}
	return withQuotaActions(r).Validate(offers)
}
