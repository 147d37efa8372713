package session

import "time"

func (c *coder) urr(u *URR) {
	number(c, &u.ID)
	number(c, &u.Generation)
	c.octets(&u.Alarm)
	c.octets(&u.Quota)
	c.flag(&u.Closed)
	c.asked(&u.Asked)
}

func (c *coder) octets(o *Octets) {
	number(c, &o.Total)
	number(c, &o.Uplink)
	number(c, &o.Downlink)
}

func (c *coder) asked(p *URRParameters) {
	for _, is := range [...]*bool{&p.Volume, &p.Duration, &p.Event, &p.ImmediateStart, &p.Packets} {
		c.flag(is)
	}
	number(c, &p.Triggers)
	next := Monitoring{p.MonitoringTime, p.SubsequentThreshold, p.SubsequentQuota, p.SubsequentTimeThreshold, p.SubsequentTimeQuota}
	c.monitoring(&next)
	p.MonitoringTime, p.SubsequentThreshold, p.SubsequentQuota = next.Time, next.Threshold, next.Quota
	p.SubsequentTimeThreshold, p.SubsequentTimeQuota = next.TimeThreshold, next.TimeQuota
	list(c, &p.Additional, (*coder).monitoring)
	for _, volume := range [...]**Octets{&p.Threshold, &p.Quota} {
		optional(c, volume, (*coder).octets)
	}
	for _, period := range [...]**time.Duration{&p.TimeThreshold, &p.TimeQuota, &p.HoldingTime, &p.ValidityTime} {
		optional(c, period, number[time.Duration])
	}
	for _, period := range [...]*time.Duration{&p.Period, &p.InactivityDetection, &p.Inactivity} {
		number(c, period)
	}
	number(c, &p.QuotaFAR)
	list(c, &p.Linked, number[uint32])
}

func (c *coder) monitoring(m *Monitoring) {
	c.moment(&m.Time)
	optional(c, &m.Threshold, (*coder).octets)
	optional(c, &m.Quota, (*coder).octets)
	optional(c, &m.TimeThreshold, number[time.Duration])
	optional(c, &m.TimeQuota, number[time.Duration])
}
