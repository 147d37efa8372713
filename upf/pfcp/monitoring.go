package pfcp

import (
	"encoding/binary"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// decodeMonitoring reads a Monitoring Time (TS 29.244 clause 8.2.15), and what holds from then
// on, and further ones.
func (u *urrChange) decodeMonitoring(f fields) (err error) {
	if u.monitoring, u.next, err = f.monitoring(); err != nil {
		return err
	}
	for _, i := range f {
		if i.Type != ie.AdditionalMonitoringTime {
			continue
		}
		given, one, err := fields(i.ChildIEs).monitoring()
		switch {
		case err != nil:
			return err
		case !given:
			return missing(ie.MonitoringTime)
		}
		u.additional = append(u.additional, one)
	}
	return nil
}

// monitoring reads a Monitoring Time, zero where it is taken back, and the subsequent
// thresholds and quotas with it.
func (f fields) monitoring() (given bool, m session.Monitoring, err error) {
	b, given, err := f.may(ie.MonitoringTime, 4)
	if err != nil {
		return given, m, err
	}
	if len(b) > 0 {
		m.Time = pfcp.Time(binary.BigEndian.Uint32(b))
	}
	if m.Threshold, err = f.mayOctets(ie.SubsequentVolumeThreshold); err != nil {
		return given, m, err
	}
	if m.Quota, err = f.mayOctets(ie.SubsequentVolumeQuota); err != nil {
		return given, m, err
	}
	if m.TimeThreshold, err = f.maySeconds(ie.SubsequentTimeThreshold); err != nil {
		return given, m, err
	}
	m.TimeQuota, err = f.maySeconds(ie.SubsequentTimeQuota)
	return given, m, err
}

func (u *urrChange) applyMonitoring(to *session.URRParameters) {
	if u.monitoring {
		to.MonitoringTime = u.next.Time
	}
	replace(&to.SubsequentThreshold, u.next.Threshold)
	replace(&to.SubsequentQuota, u.next.Quota)
	replace(&to.SubsequentTimeThreshold, u.next.TimeThreshold)
	replace(&to.SubsequentTimeQuota, u.next.TimeQuota)
	if u.additional == nil {
		return
	}
	all := slices.Clone(u.additional)
	if !to.MonitoringTime.IsZero() {
		all = append(all, session.Monitoring{Time: to.MonitoringTime, Threshold: to.SubsequentThreshold, Quota: to.SubsequentQuota,
			TimeThreshold: to.SubsequentTimeThreshold, TimeQuota: to.SubsequentTimeQuota})
	}
	slices.SortStableFunc(all, func(a, b session.Monitoring) int { return a.Time.Compare(b.Time) })
	to.Additional = all
	nextMonitoring(to)
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
func (st *usageState) monitor(p *session.URRParameters, u session.Usage, now time.Time) {
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
			p.Quota, st.granted, st.volumeUp = q, u.Octets(), false
		}
		if q := p.SubsequentTimeQuota; q != nil {
			p.TimeQuota, st.quotaAt, st.timeUp = q, at, false
		}
		nextMonitoring(p)
	}
}

// nextMonitoring makes the next of the additional monitoring times the one that is waited for.
func nextMonitoring(p *session.URRParameters) {
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

// reports are the Usage Reports of a URR: one, and one more for each monitoring time that has
// passed since the last.
func (st *usageState) reports(typ uint16, u *session.URR, now session.Usage, why reason, at time.Time) (list []*ie.IE) {
	if len(st.before) == 0 || why.isBare() {
		return []*ie.IE{st.report(typ, u, now, why, at)}
	}
	split, volumeFrom, timeFrom, idle, flag := st.before, st.volumeFrom, st.timeFrom, st.idle, byte(usageBefore)
	st.before = nil
	done := time.Duration(0)
	for _, m := range split {
		st.idle = m.idle - done
		list = append(list, st.report(typ, u, m.usage, becauseMonitoring, m.at, usageInformation(flag)))
		done, flag = m.idle, usageBefore|usageAfter
	}
	st.volumeFrom, st.timeFrom, st.idle = volumeFrom, timeFrom, idle-done // those reports were due to no threshold
	return append(list, st.report(typ, u, now, why, at, usageInformation(usageAfter)))
}
