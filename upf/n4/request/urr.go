package request

import (
	"encoding/binary"
	"fmt"
	"time"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
	"github.com/upflab/upflab/upf/session"
)

// WatchURR is the URR by which a session with a User Plane Inactivity Timer is watched:
// of no CP function's, whose own URRs have IDs below 2^31 (TS 29.244 clause 8.2.54).
const WatchURR = 1<<32 - 1

// URRChange is a Create URR or an Update URR (TS 29.244 tables 7.5.2.4-1 and
// 7.5.4.4-1). What is nil is not to be changed.
type URRChange struct {
	ID       uint32
	Method   *byte
	Triggers *session.Triggers
	Period   *time.Duration

	Threshold, Quota         *session.Octets
	TimeThreshold, TimeQuota *time.Duration
	Information              *byte
	Holding, Validity        *time.Duration
	Linked                   []uint32

	Monitoring bool               // there is a Monitoring Time
	Next       session.Monitoring // that, and what holds from then on
	Additional []session.Monitoring

	Detection *time.Duration // Inactivity Detection Time
	QuotaFAR  *uint32
}

// Measurement methods (clause 8.2.40) and flags of Measurement Information (clause
// 8.2.68).
const (
	MethodDURAT = 1 << 0
	MethodVOLUM = 1 << 1
	MethodEVENT = 1 << 2

	InformationISTM = 1 << 3 // time counts at once
	InformationMNOP = 1 << 4 // packets are reported, too
)

// urrTriggers are those that are done.
const urrTriggers = session.TriggerPeriodic | session.TriggerVolumeThreshold | session.TriggerTimeThreshold |

	session.TriggerStart | session.TriggerVolumeQuota | session.TriggerTimeQuota | session.TriggerStop | session.TriggerLinked |
	session.TriggerHoldingTime | session.TriggerValidityTime

func decodeCreateURR(f Fields) (URRChange, error) {
	u, err := DecodeUpdateURR(f)
	switch {
	case err != nil:
		return u, err
	case u.Method == nil:
		return u, missing(ie.MeasurementMethod)
	case u.Triggers == nil:
		return u, missing(ie.ReportingTriggers)
	}
	return u, u.conditional()
}

// conditional wants what the triggers of a new URR are about.
func (u *URRChange) conditional() error {
	for _, c := range []struct {
		trigger session.Triggers
		absent  bool
		typ     uint16
	}{
		{session.TriggerPeriodic, u.Period == nil, ie.MeasurementPeriod},
		{session.TriggerVolumeThreshold, u.Threshold == nil, ie.VolumeThreshold},
		{session.TriggerTimeThreshold, u.TimeThreshold == nil, ie.TimeThreshold},
		{session.TriggerHoldingTime, u.Holding == nil, ie.QuotaHoldingTime},
		{session.TriggerValidityTime, u.Validity == nil, ie.QuotaValidityTime},
		{session.TriggerLinked, len(u.Linked) == 0, ie.LinkedURRID},
	} {
		if *u.Triggers&c.trigger != 0 && c.absent {
			return MissingConditional(c.typ)
		}
	}
	return nil
}

// IsZero reports whether a value is given, and is nothing.
func IsZero[T comparable](v *T) bool {
	var zero T
	return v != nil && *v == zero
}

// IncorrectURR is about a value that an IE of a URR cannot have.
func IncorrectURR(id uint32, typ uint16, reason string) error {
	return &Rejection{
		Cause: ie.CauseMandatoryIEIncorrect, Offending: typ, Reason: fmt.Sprintf("URR %d: %s", id, reason),
		Failed: &session.RuleError{Kind: session.KindURR, ID: id, Reason: reason},
	}
}

func DecodeUpdateURR(f Fields) (u URRChange, err error) {
	if u.ID, err = f.mustUint32(ie.URRID); err != nil {
		return u, err
	}
	if u.ID == WatchURR {
		return u, u.failure("IDs from 2^31 on are those of predefined rules")
	}
	if err := u.refuse(f); err != nil {
		return u, err
	}
	if err := u.decodeWhat(f); err != nil {
		return u, err
	}
	if u.Threshold, err = u.mayOctets(f, ie.VolumeThreshold); err != nil {
		return u, err
	}
	if u.Quota, err = u.mayOctets(f, ie.VolumeQuota); err != nil {
		return u, err
	}
	if err := u.decodeMonitoring(f); err != nil {
		return u, err
	}
	for _, d := range []struct {
		typ uint16
		to  **time.Duration
	}{
		{ie.MeasurementPeriod, &u.Period}, {ie.TimeThreshold, &u.TimeThreshold}, {ie.TimeQuota, &u.TimeQuota},
		{ie.QuotaHoldingTime, &u.Holding}, {ie.QuotaValidityTime, &u.Validity}, {ie.InactivityDetectionTime, &u.Detection},
	} {
		if *d.to, err = f.maySeconds(d.typ); err != nil {
			return u, err
		}
	}
	if u.QuotaFAR, err = f.mayUint32(ie.FARID); err != nil {
		return u, err
	}
	u.Linked, err = f.listUint32(ie.LinkedURRID)
	return u, err
}

func (u *URRChange) failure(format string, args ...any) error {
	return RuleError(session.KindURR, u.ID, format, args...)
}

// refuse looks for what would make a report other than one that is done.
func (u *URRChange) refuse(f Fields) error {
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

func (u *URRChange) decodeWhat(f Fields) error {
	method, _, err := f.may(ie.MeasurementMethod, 1)
	if err != nil {
		return err
	}
	if len(method) > 0 {
		if method[0]&^(MethodDURAT|MethodVOLUM|MethodEVENT) != 0 || method[0] == 0 {
			return u.failure("measurement method %#x: DURAT, VOLUM and EVENT are supported", method[0])
		}
		u.Method = &method[0]
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
		u.Triggers = &t
	}
	information, _, err := f.may(ie.MeasurementInformation, 1)
	if err != nil {
		return err
	}
	if len(information) > 0 {
		if information[0]&^(InformationISTM|InformationMNOP) != 0 {
			return u.failure("measurement information %#x: ISTM and MNOP are supported", information[0])
		}
		u.Information = &information[0]
	}
	return nil
}

// mayOctets reads a Volume Threshold or a Volume Quota (clauses 8.2.13 and 8.2.50); nil
// when it is absent.
func (u *URRChange) mayOctets(f Fields, typ uint16) (*session.Octets, error) {
	b, _, err := f.may(typ, 1)
	if err != nil || len(b) == 0 {
		return nil, err
	}
	o, flags := &session.Octets{}, b[0]
	if flags&(1<<3-1) == 0 {
		return nil, IncorrectURR(u.ID, typ, "it has none of TOVOL, ULVOL and DLVOL")
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
func (f Fields) maySeconds(typ uint16) (*time.Duration, error) {
	v, err := f.mayUint32(typ)
	if err != nil || v == nil {
		return nil, err
	}
	d := time.Duration(*v) * time.Second
	return &d, nil
}

// decodeMonitoring reads a Monitoring Time (TS 29.244 clause 8.2.15), and what holds from then
// on, and further ones.
func (u *URRChange) decodeMonitoring(f Fields) (err error) {
	if u.Monitoring, u.Next, err = u.decodeNext(f); err != nil {
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
		u.Additional = append(u.Additional, one)
	}
	return nil
}

// decodeNext reads a Monitoring Time, zero where it is taken back, and the subsequent
// thresholds and quotas with it.
func (u *URRChange) decodeNext(f Fields) (given bool, m session.Monitoring, err error) {
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
