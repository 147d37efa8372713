// Package usage is how far the usage of URRs is reported, and what is due: states that what was counted and the clock
// move on, and the IEs of their reports (TS 29.244 clause 5.2.2). It has no lock: a state is its session's.
package usage

import (
	"slices"
	"time"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// State is how far the usage of a URR is reported.
type State struct {
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
	Granted    session.Octets // when the volume quota was given
	quotaAt    time.Time      // when the time quota was given
	givenAt    time.Time      // when either quota was given
	Ended      bool           // the quotas ended by their holding or validity time
	volumeUp   bool           // that the volume quota is used up was reported
	timeUp     bool           // the same of the time quota
}

// New is the state of a URR that is created.
func New(p *session.URRParameters, now time.Time) State {
	st := State{since: now, timeFrom: now, quotaAt: now, givenAt: now}
	if p.ImmediateStart {
		st.began = now
	}
	return st
}

// Grant begins the quotas that a change gives anew. What was counted until then is in granted.
func (st *State) Grant(given *request.URRChange, now time.Time) {
	if given.Quota != nil {
		st.volumeUp = false
	}
	if given.TimeQuota != nil {
		st.quotaAt, st.timeUp = now, false
	}
	if given.Quota != nil || given.TimeQuota != nil || given.Validity != nil || given.Holding != nil {
		st.givenAt, st.Ended = now, false
	}
}

// Splits is how many monitoring times have passed whose usage is not reported yet.
func (st *State) Splits() int { return len(st.before) }

// Reason says why a usage is reported: a Usage Report Trigger (TS 29.244 clause
// 8.2.41), octets 5 to 7.
type Reason uint32

// The reasons.
const (
	becausePeriodic        Reason = 1 << 16
	becauseVolumeThreshold Reason = 1 << 17
	becauseTimeThreshold   Reason = 1 << 18
	becauseHoldingTime     Reason = 1 << 19
	becauseStart           Reason = 1 << 20
	becauseStop            Reason = 1 << 21
	BecauseAsked           Reason = 1 << 23 // IMMER
	becauseVolumeQuota     Reason = 1 << 8
	becauseTimeQuota       Reason = 1 << 9
	BecauseLinked          Reason = 1 << 10 // LIUSA
	becauseEnd             Reason = 1 << 11 // TERMR
	becauseMonitoring      Reason = 1 << 12 // MONIT
	becauseValidityTime    Reason = 1 << 3
)

// Limits are the datapath's limits for what is next.
func (st *State) Limits(p *session.URRParameters) (l session.Limits) {
	if p.Quota != nil {
		l.Quota = p.Quota.After(st.Granted)
		l.Closed = *p.Quota == (session.Octets{})
		if p.Triggers&session.TriggerVolumeQuota != 0 && !st.volumeUp {
			l.Alarm = l.Quota
		}
	}
	if p.Inactivity > 0 {
		if st.Ended { // the next packet
			l.Alarm.Total = st.activity.total + 1
		}
		return l
	}
	l.Closed = l.Closed || st.timeUp || st.Ended
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

// Due are the reasons to report now, with what was counted until now. The parameters are the
// caller's own: a monitoring time changes them.
func (st *State) Due(p *session.URRParameters, u session.Usage, now time.Time) (why Reason) {
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
	if p.Quota != nil && !st.volumeUp && u.Octets().Since(st.Granted).Reached(*p.Quota) {
		st.volumeUp = true
		if p.Triggers&session.TriggerVolumeQuota != 0 {
			why |= becauseVolumeQuota
		}
	}
	return why | st.dueByTime(p, now)
}

func (st *State) dueByTime(p *session.URRParameters, now time.Time) (why Reason) {
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
func (st *State) end(p *session.URRParameters, trigger session.Triggers, why Reason) Reason {
	st.Ended = true
	if p.Triggers&trigger == 0 {
		return 0
	}
	return why
}

// Times at which something is due; zero for never.
func (st *State) periodEnd(p *session.URRParameters) time.Time {
	if p.Triggers&session.TriggerPeriodic == 0 || p.Period <= 0 {
		return time.Time{}
	}
	return st.since.Add(p.Period)
}

func (st *State) thresholdEnd(p *session.URRParameters) time.Time {
	if p.Triggers&session.TriggerTimeThreshold == 0 || p.TimeThreshold == nil || st.began.IsZero() {
		return time.Time{}
	}
	return st.unlessStopped(later(st.began, st.timeFrom).Add(*p.TimeThreshold))
}

func (st *State) quotaEnd(p *session.URRParameters) time.Time {
	if p.TimeQuota == nil || st.timeUp || st.began.IsZero() {
		return time.Time{}
	}
	return st.unlessStopped(later(st.began, st.quotaAt).Add(*p.TimeQuota))
}

// Next is when something is due by time; zero for never.
func (st *State) Next(p *session.URRParameters) (at time.Time) {
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

// States are how far the usage of a session's URRs is reported: a few, in no order.
type States []URRState

type URRState struct {
	URR uint32
	State
}

func (l States) find(urr uint32) int {
	return slices.IndexFunc(l, func(st URRState) bool { return st.URR == urr })
}

func (l States) Has(urr uint32) bool { return l.find(urr) >= 0 }

// Of is the state of a URR; the zero one where there is none.
func (l States) Of(urr uint32) (st State) {
	if i := l.find(urr); i >= 0 {
		st = l[i].State
	}
	return st
}

// Put sets a URR's state.
func (l *States) Put(urr uint32, st State) {
	if i := l.find(urr); i >= 0 {
		(*l)[i].State = st
		return
	}
	*l = append(*l, URRState{urr, st})
}

// Remove forgets a URR.
func (l *States) Remove(urr uint32) {
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

// CheckQuotaActions wants the FARs of quotas to forward or drop, in ways that their PDRs can
// take.
func CheckQuotaActions(r *session.Rules, offers session.Action) error {
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
			return request.RuleError(session.KindURR, u.ID, "its FAR %d for the quota action is not in the session", u.Asked.QuotaFAR)
		case far.Action&^session.Duplicate != session.Forward && far.Action != session.Drop:
			return request.RuleError(session.KindURR, u.ID, "its FAR %d for the quota action neither forwards nor drops", far.ID)
		}
	}
	if !any {
		return nil
	}
	return withQuotaActions(r).Validate(offers)
}
