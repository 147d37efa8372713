package pfcp

import (
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// urrChange is a Create URR or an Update URR (TS 29.244 tables 7.5.2.4-1 and
// 7.5.4.4-1). What is nil is not to be changed.
type urrChange struct {
	id       uint32
	method   *byte
	triggers *session.Triggers
	period   *time.Duration

	threshold, quota         *session.Octets
	timeThreshold, timeQuota *time.Duration
	information              *byte
	holding, validity        *time.Duration
	linked                   []uint32

	monitoring bool               // there is a Monitoring Time
	next       session.Monitoring // that, and what holds from then on
	additional []session.Monitoring

	detection *time.Duration // Inactivity Detection Time
	quotaFAR  *uint32
}

// Measurement methods (clause 8.2.40) and flags of Measurement Information (clause
// 8.2.68).
const (
	methodDURAT = 1 << 0
	methodVOLUM = 1 << 1
	methodEVENT = 1 << 2

	informationISTM = 1 << 3 // time counts at once
	informationMNOP = 1 << 4 // packets are reported, too
)

// urrTriggers are those that are done.
const urrTriggers = session.TriggerPeriodic | session.TriggerVolumeThreshold | session.TriggerTimeThreshold |

	session.TriggerStart | session.TriggerVolumeQuota | session.TriggerTimeQuota | session.TriggerStop | session.TriggerLinked |
	session.TriggerHoldingTime | session.TriggerValidityTime

func decodeCreateURR(f fields) (urrChange, error) {
	u, err := decodeUpdateURR(f)
	switch {
	case err != nil:
		return u, err
	case u.method == nil:
		return u, missing(ie.MeasurementMethod)
	case u.triggers == nil:
		return u, missing(ie.ReportingTriggers)
	}
	return u, u.conditional()
}

// conditional wants what the triggers of a new URR are about.
func (u *urrChange) conditional() error {
	for _, c := range []struct {
		trigger session.Triggers
		absent  bool
		typ     uint16
	}{
		{session.TriggerPeriodic, u.period == nil, ie.MeasurementPeriod},
		{session.TriggerVolumeThreshold, u.threshold == nil, ie.VolumeThreshold},
		{session.TriggerTimeThreshold, u.timeThreshold == nil, ie.TimeThreshold},
		{session.TriggerHoldingTime, u.holding == nil, ie.QuotaHoldingTime},
		{session.TriggerValidityTime, u.validity == nil, ie.QuotaValidityTime},
		{session.TriggerLinked, len(u.linked) == 0, ie.LinkedURRID},
	} {
		if *u.triggers&c.trigger != 0 && c.absent {
			return missingConditional(c.typ)
		}
	}
	return nil
}

// checkURRs wants the URRs that the request creates or updates to make sense.
func checkURRs(c *changes, r *session.Rules) error {
	for _, list := range [...][]urrChange{c.createURR, c.updateURR} {
		for i := range list {
			u := r.FindURR(list[i].id)
			if err := checkURR(u); err != nil {
				return err
			}
			for _, id := range u.Asked.Linked { // others may have links of an earlier version that lead nowhere
				if r.FindURR(id) == nil {
					return ruleError(session.KindURR, u.ID, "its linked URR %d is not in the session", id)
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
		{session.TriggerVolumeThreshold, isZero(p.Threshold), ie.VolumeThreshold, "a threshold of 0 octets"},
		{session.TriggerVolumeThreshold, isZero(p.SubsequentThreshold), ie.SubsequentVolumeThreshold, "a threshold of 0 octets"},
		{session.TriggerTimeThreshold, isZero(p.TimeThreshold), ie.TimeThreshold, "a threshold of 0 s"},
		{session.TriggerTimeThreshold, isZero(p.SubsequentTimeThreshold), ie.SubsequentTimeThreshold, "a threshold of 0 s"},
	} {
		if p.Triggers&c.trigger != 0 && c.wrong {
			return incorrectURR(u.ID, c.typ, c.reason)
		}
	}
	for _, m := range p.Additional {
		if isZero(m.Threshold) || isZero(m.TimeThreshold) {
			return incorrectURR(u.ID, ie.AdditionalMonitoringTime, "a threshold of 0")
		}
	}
	return nil
}

// isZero reports whether a value is given, and is nothing.
func isZero[T comparable](v *T) bool {
	var zero T
	return v != nil && *v == zero
}

// incorrectURR is about a value that an IE of a URR cannot have.
func incorrectURR(id uint32, typ uint16, reason string) error {
	return &rejection{
		cause: ie.CauseMandatoryIEIncorrect, offending: typ, reason: fmt.Sprintf("URR %d: %s", id, reason),
		failed: &session.RuleError{Kind: session.KindURR, ID: id, Reason: reason},
	}
}

func decodeUpdateURR(f fields) (u urrChange, err error) {
	if u.id, err = f.mustUint32(ie.URRID); err != nil {
		return u, err
	}
	if u.id == watchURR {
		return u, u.failure("IDs from 2^31 on are those of predefined rules")
	}
	if err := u.refuse(f); err != nil {
		return u, err
	}
	if err := u.decodeWhat(f); err != nil {
		return u, err
	}
	if u.threshold, err = u.mayOctets(f, ie.VolumeThreshold); err != nil {
		return u, err
	}
	if u.quota, err = u.mayOctets(f, ie.VolumeQuota); err != nil {
		return u, err
	}
	if err := u.decodeMonitoring(f); err != nil {
		return u, err
	}
	for _, d := range []struct {
		typ uint16
		to  **time.Duration
	}{
		{ie.MeasurementPeriod, &u.period}, {ie.TimeThreshold, &u.timeThreshold}, {ie.TimeQuota, &u.timeQuota},
		{ie.QuotaHoldingTime, &u.holding}, {ie.QuotaValidityTime, &u.validity}, {ie.InactivityDetectionTime, &u.detection},
	} {
		if *d.to, err = f.maySeconds(d.typ); err != nil {
			return u, err
		}
	}
	if u.quotaFAR, err = f.mayUint32(ie.FARID); err != nil {
		return u, err
	}
	u.linked, err = f.listUint32(ie.LinkedURRID)
	return u, err
}

func (u *urrChange) failure(format string, args ...any) error {
	return ruleError(session.KindURR, u.id, format, args...)
}

// refuse looks for what would make a report other than one that is done.
func (u *urrChange) refuse(f fields) error {
	for _, i := range f {
		switch i.Type {
		case ie.EthernetInactivityTimer, ie.DroppedDLTrafficThreshold, ie.EventThreshold, ie.EventQuota, ie.AggregatedURRs, ie.NumberOfReports,
			ie.SubsequentEventThreshold, ie.SubsequentEventQuota, ie.TimeQuotaMechanism, ie.UserPlaneInactivityTimer:
			return u.failure("IE %d of a URR is not supported", i.Type)
		case ie.ApplicationID, ie.SDFFilter:
			return u.failure("what is exempted from a quota action (IE %d) is not supported", i.Type)
		}
	}
	return nil
}

func (u *urrChange) decodeWhat(f fields) error {
	method, _, err := f.may(ie.MeasurementMethod, 1)
	if err != nil {
		return err
	}
	if len(method) > 0 {
		if method[0]&^(methodDURAT|methodVOLUM|methodEVENT) != 0 || method[0] == 0 {
			return u.failure("measurement method %#x: DURAT, VOLUM and EVENT are supported", method[0])
		}
		u.method = &method[0]
	}
	triggers, _, err := f.may(ie.ReportingTriggers, 2)
	if err != nil {
		return err
	}
	if len(triggers) > 0 {
		t := session.Triggers(binary.BigEndian.Uint16(triggers))
		if t&^urrTriggers != 0 || len(triggers) > 2 && triggers[2] != 0 {
			return u.failure("reporting triggers %#x: PERIO, VOLTH, TIMTH, START, STOPT, LIUSA, VOLQU, TIMQU, "+
				"QUHTI and QUVTI are supported", triggers)
		}
		u.triggers = &t
	}
	information, _, err := f.may(ie.MeasurementInformation, 1)
	if err != nil {
		return err
	}
	if len(information) > 0 {
		if information[0]&^(informationISTM|informationMNOP) != 0 {
			return u.failure("measurement information %#x: ISTM and MNOP are supported", information[0])
		}
		u.information = &information[0]
	}
	return nil
}

// mayOctets reads a Volume Threshold or a Volume Quota (clauses 8.2.13 and 8.2.50); nil
// when it is absent.
func (u *urrChange) mayOctets(f fields, typ uint16) (*session.Octets, error) {
	b, _, err := f.may(typ, 1)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	o, flags := &session.Octets{}, b[0]
	if flags&(1<<3-1) == 0 {
		return nil, incorrectURR(u.id, typ, "it has none of TOVOL, ULVOL and DLVOL")
	}
	b = b[1:]
	for i, to := range []*uint64{&o.Total, &o.Uplink, &o.Downlink} {
		if flags>>i&1 == 0 {
			continue
		}
		if len(b) < 8 {
			return nil, badLength(typ)
		}
		*to, b = binary.BigEndian.Uint64(b), b[8:]
	}
	return o, nil
}

// maySeconds reads a time; nil when it is absent.
func (f fields) maySeconds(typ uint16) (*time.Duration, error) {
	v, err := f.mayUint32(typ)
	if err != nil || v == nil {
		return nil, err
	}
	d := time.Duration(*v) * time.Second
	return &d, nil
}

func applyURR(u *urrChange, to *session.URR) {
	to.ID = u.id
	p := &to.Asked
	if u.method != nil {
		p.Volume, p.Duration, p.Event = *u.method&methodVOLUM != 0, *u.method&methodDURAT != 0, *u.method&methodEVENT != 0
	}
	if u.triggers != nil {
		p.Triggers = *u.triggers
	}
	if u.information != nil {
		p.ImmediateStart, p.Packets = *u.information&informationISTM != 0, *u.information&informationMNOP != 0
	}
	if u.period != nil {
		p.Period = *u.period
	}
	replace(&p.Threshold, u.threshold)
	replace(&p.Quota, u.quota)
	replace(&p.TimeThreshold, u.timeThreshold)
	replace(&p.TimeQuota, u.timeQuota)
	replace(&p.HoldingTime, u.holding)
	replace(&p.ValidityTime, u.validity)
	applyMonitoring(u, p)
	if u.detection != nil {
		p.InactivityDetection = *u.detection
	}
	if u.quotaFAR != nil {
		p.QuotaFAR = *u.quotaFAR
	}
	if u.linked != nil {
		p.Linked = u.linked
	}
}

func replace[T any](to **T, by *T) {
	if by != nil {
		*to = by
	}
}

// decodeMonitoring reads a Monitoring Time (TS 29.244 clause 8.2.15), and what holds from then
// on, and further ones.
func (u *urrChange) decodeMonitoring(f fields) (err error) {
	if u.monitoring, u.next, err = u.decodeNext(f); err != nil {
		return err
	}
	for _, i := range f {
		if i.Type != ie.AdditionalMonitoringTime {
			continue
		}
		given, one, err := u.decodeNext(i.ChildIEs)
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

// decodeNext reads a Monitoring Time, zero where it is taken back, and the subsequent
// thresholds and quotas with it.
func (u *urrChange) decodeNext(f fields) (given bool, m session.Monitoring, err error) {
	b, given, err := f.may(ie.MonitoringTime, 4)
	if err != nil {
		return given, m, err
	}
	if len(b) > 0 {
		m.Time = pfcp.Time(binary.BigEndian.Uint32(b))
	}
	if m.Threshold, err = u.mayOctets(f, ie.SubsequentVolumeThreshold); err != nil {
		return given, m, err
	}
	if m.Quota, err = u.mayOctets(f, ie.SubsequentVolumeQuota); err != nil {
		return given, m, err
	}
	if m.TimeThreshold, err = f.maySeconds(ie.SubsequentTimeThreshold); err != nil {
		return given, m, err
	}
	m.TimeQuota, err = f.maySeconds(ie.SubsequentTimeQuota)
	return given, m, err
}

func applyMonitoring(u *urrChange, to *session.URRParameters) {
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
