package change

import (
	"slices"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// watch has the packets of all PDRs counted by the watching URR, where there is one.
func watch(c *request.Changes, r *session.Rules, t *Claims) error {
	isWatch := func(u session.URR) bool { return u.ID == request.WatchURR }
	if c.Inactivity != nil {
		r.URRs = slices.DeleteFunc(r.URRs, isWatch)
		if *c.Inactivity > 0 {
			r.URRs = append(r.URRs, session.URR{ID: request.WatchURR, Generation: t.Final.Generation(request.WatchURR),
				Asked: session.URRParameters{Inactivity: *c.Inactivity}})
		}
	}
	watched := slices.ContainsFunc(r.URRs, isWatch)
	for i := range r.PDRs {
		p := &r.PDRs[i]
		p.URRs = slices.DeleteFunc(slices.Clone(p.URRs), func(id uint32) bool { return id == request.WatchURR })
		if watched {
			p.URRs = append(p.URRs, request.WatchURR)
		}
	}
	return nil
}

// checkURRs wants the URRs that the request creates or updates to make sense.
func checkURRs(c *request.Changes, r *session.Rules) error {
	for _, list := range [...][]request.URRChange{c.CreateURR, c.UpdateURR} {
		for i := range list {
			u := r.FindURR(list[i].ID)
			if err := checkURR(u); err != nil {
				return err
			}
			for _, id := range u.Asked.Linked { // others may have links of an earlier version that lead nowhere
				if r.FindURR(id) == nil {
					return request.RuleError(session.KindURR, u.ID, "its linked URR %d is not in the session", id)
				}
			}
		}
	}
	return nil
}

// checkURR refuses a URR that is to report what it does not measure, or all the time, or never.
func checkURR(u *session.URR) error {
	p := &u.Asked
	for _, c := range []struct {
		trigger session.Triggers
		wrong   bool
		typ     uint16
		reason  string
	}{
		{session.TriggerVolumeThreshold, !p.Volume, ie.MeasurementMethod, "VOLTH needs VOLUM"},
		{session.TriggerVolumeQuota, !p.Volume, ie.MeasurementMethod, "VOLQU needs VOLUM"},
		{session.TriggerPeriodic, p.Period == 0, ie.MeasurementPeriod, "a period of 0 s"},
		{session.TriggerVolumeThreshold, request.IsZero(p.Threshold), ie.VolumeThreshold, "a threshold of 0 octets"},
		{session.TriggerVolumeThreshold, request.IsZero(p.SubsequentThreshold), ie.SubsequentVolumeThreshold, "a threshold of 0 octets"},
		{session.TriggerTimeThreshold, request.IsZero(p.TimeThreshold), ie.TimeThreshold, "a threshold of 0 s"},
		{session.TriggerTimeThreshold, request.IsZero(p.SubsequentTimeThreshold), ie.SubsequentTimeThreshold, "a threshold of 0 s"},
	} {
		if p.Triggers&c.trigger != 0 && c.wrong {
			return request.IncorrectURR(u.ID, c.typ, c.reason)
		}
	}
	for _, m := range p.Additional {
		if request.IsZero(m.Threshold) || request.IsZero(m.TimeThreshold) {
			return request.IncorrectURR(u.ID, ie.AdditionalMonitoringTime, "a threshold of 0")
		}
	}
	return nil
}

func applyURR(u *request.URRChange, to *session.URR) {
	to.ID = u.ID
	p := &to.Asked
	if u.Method != nil {
		p.Volume, p.Duration, p.Event = *u.Method&request.MethodVOLUM != 0, *u.Method&request.MethodDURAT != 0, *u.Method&request.MethodEVENT != 0
	}
	if u.Triggers != nil {
		p.Triggers = *u.Triggers
	}
	if u.Information != nil {
		p.ImmediateStart, p.Packets = *u.Information&request.InformationISTM != 0, *u.Information&request.InformationMNOP != 0
	}
	if u.Period != nil {
		p.Period = *u.Period
	}
	replace(&p.Threshold, u.Threshold)
	replace(&p.Quota, u.Quota)
	replace(&p.TimeThreshold, u.TimeThreshold)
	replace(&p.TimeQuota, u.TimeQuota)
	replace(&p.HoldingTime, u.Holding)
	replace(&p.ValidityTime, u.Validity)
	applyMonitoring(u, p)
	if u.Detection != nil {
		p.InactivityDetection = *u.Detection
	}
	if u.QuotaFAR != nil {
		p.QuotaFAR = *u.QuotaFAR
	}
	if u.Linked != nil {
		p.Linked = u.Linked
	}
}

func replace[T any](to **T, by *T) {
	if by != nil {
		*to = by
	}
}

func applyMonitoring(u *request.URRChange, to *session.URRParameters) {
	if u.Monitoring {
		to.MonitoringTime = u.Next.Time
	}
	replace(&to.SubsequentThreshold, u.Next.Threshold)
	replace(&to.SubsequentQuota, u.Next.Quota)
	replace(&to.SubsequentTimeThreshold, u.Next.TimeThreshold)
	replace(&to.SubsequentTimeQuota, u.Next.TimeQuota)
	if u.Additional == nil {
		return
	}
	all := slices.Clone(u.Additional)
	if !to.MonitoringTime.IsZero() {
		all = append(all, session.Monitoring{Time: to.MonitoringTime, Threshold: to.SubsequentThreshold, Quota: to.SubsequentQuota,
			TimeThreshold: to.SubsequentTimeThreshold, TimeQuota: to.SubsequentTimeQuota})
	}
	slices.SortStableFunc(all, func(a, b session.Monitoring) int { return a.Time.Compare(b.Time) })
	to.Additional = all
	usage.NextMonitoring(to)
}
