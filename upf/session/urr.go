package session

import "time"

// URR is a usage reporting rule as a datapath carries it out: it counts the T-PDUs that
// are forwarded by the PDRs that name it.
type URR struct {
	ID uint32
	// Generation tells a URR that is created in the place of one with its ID, in one change of the rules, from that one.
	Generation uint32 `json:",omitempty"`
	Limits
	// Asked is what the CP function gave, from which Limits come.
	Asked URRParameters
}

// URRKey is what a URR is counted by in its session: its ID, and in the upper half its generation.
type URRKey uint64

// Key is the URR's.
func (u *URR) Key() URRKey { return URRKey(u.Generation)<<32 | URRKey(u.ID) }

// ID is that of the URR.
func (k URRKey) ID() uint32 { return uint32(k) }

// URRParameters are the parameters of a URR (TS 29.244 table 7.5.2.4-1) that are
// relative to the last report, or to when they were given. What is nil is not given.
type URRParameters struct {
	Volume, Duration, Event  bool // what is measured
	Triggers                 Triggers
	Threshold, Quota         *Octets
	TimeThreshold, TimeQuota *time.Duration
	Period                   time.Duration // 0 when not given
	// HoldingTime without a packet, and ValidityTime after it was given, end a quota.
	HoldingTime, ValidityTime *time.Duration
	// MonitoringTime is when usage is told apart, once; zero when not given. The thresholds and
	// quotas that are given here hold from then on.
	MonitoringTime                               time.Time      `json:",omitzero"`
	SubsequentThreshold, SubsequentQuota         *Octets        `json:",omitempty"`
	SubsequentTimeThreshold, SubsequentTimeQuota *time.Duration `json:",omitempty"`
	// Additional are further monitoring times, the earliest first, all after MonitoringTime.
	Additional []Monitoring `json:",omitempty"`
	// InactivityDetection without a packet stops the time that is measured, until the next
	// one; 0: nothing does.
	InactivityDetection time.Duration `json:",omitempty"`
	// QuotaFAR is the FAR of the packets of a quota that is used up; 0: they are dropped.
	QuotaFAR uint32 `json:",omitempty"`
	// Inactivity, of a URR that nobody reports, is how long no packet has to come until
	// the session is inactive; 0 when that is not asked for.
	Inactivity time.Duration
	// Linked are the URRs with whose reports this one is reported, too.
	Linked         []uint32
	ImmediateStart bool // time counts before the first packet, too
	Packets        bool // are reported, too
}

// Monitoring is a monitoring time and what holds from then on, where it is not nil.
type Monitoring struct {
	Time                     time.Time
	Threshold, Quota         *Octets        `json:",omitempty"`
	TimeThreshold, TimeQuota *time.Duration `json:",omitempty"`
}

// WantsStart reports whether the first packet matters.
func (p *URRParameters) WantsStart() bool {
	timed := p.Duration || p.TimeThreshold != nil || p.TimeQuota != nil
	return p.Triggers&(TriggerStart|TriggerStop) != 0 || timed && !p.ImmediateStart
}

// HasQuota reports whether there is a quota, of either kind.
func (p *URRParameters) HasQuota() bool { return p.Quota != nil || p.TimeQuota != nil }

// Triggers are the events that lead to a usage report (clause 8.2.19), octets 5 and 6.
type Triggers uint16

// The triggers that are done.
const (
	TriggerPeriodic        Triggers = 1 << 8
	TriggerVolumeThreshold Triggers = 1 << 9
	TriggerTimeThreshold   Triggers = 1 << 10
	TriggerHoldingTime     Triggers = 1 << 11
	TriggerStart           Triggers = 1 << 12
	TriggerStop            Triggers = 1 << 13
	TriggerLinked          Triggers = 1 << 15
	TriggerVolumeQuota     Triggers = 1 << 0
	TriggerTimeQuota       Triggers = 1 << 1
	TriggerValidityTime    Triggers = 1 << 7
)

// Limits are totals since the URR was created, octets, in both directions together and
// in each; 0 for none.
type Limits struct {
	// Alarm is when the datapath tells, once for each Limits that it is given.
	Alarm Octets
	// Quota is when it forwards no further packets.
	Quota Octets
	// Closed is a quota that is used up, whatever was counted.
	Closed bool
}

// Octets are volumes of T-PDUs.
type Octets struct{ Total, Uplink, Downlink uint64 }

// Reached reports whether a volume is at one of the limits.
func (o Octets) Reached(limit Octets) bool {
	return reached(o.Total, limit.Total) || reached(o.Uplink, limit.Uplink) || reached(o.Downlink, limit.Downlink)
}

// After is the limit as a total, when it counts from a volume on.
func (o Octets) After(base Octets) Octets {
	return Octets{after(o.Total, base.Total), after(o.Uplink, base.Uplink), after(o.Downlink, base.Downlink)}
}

func after(limit, base uint64) uint64 {
	if limit == 0 || limit+base < limit {
		return 0
	}
	return limit + base
}

// Since are the volumes after earlier ones.
func (o Octets) Since(base Octets) Octets {
	return Octets{o.Total - base.Total, o.Uplink - base.Uplink, o.Downlink - base.Downlink}
}

// Earlier is the lower of two limits, for each volume.
func (o Octets) Earlier(other Octets) Octets {
	return Octets{earlier(o.Total, other.Total), earlier(o.Uplink, other.Uplink), earlier(o.Downlink, other.Downlink)}
}

func earlier(a, b uint64) uint64 {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}

func reached(octets, limit uint64) bool { return limit != 0 && octets >= limit }

// Usage is what a URR counted since it was created: T-PDUs with their IP headers,
// without the tunnel's (clause 5.2.2.2).
type Usage struct {
	Uplink, Downlink Count
	First            time.Time // of the first packet since the last report; zero when there was none
	Last             time.Time // of the last packet; zero when there was none
}

// Count is packets and their octets.
type Count struct{ Packets, Octets uint64 }

// Octets are the volumes.
func (u Usage) Octets() Octets {
	return Octets{u.Uplink.Octets + u.Downlink.Octets, u.Uplink.Octets, u.Downlink.Octets}
}

// Since is the usage after an earlier one.
func (u Usage) Since(base Usage) Usage {
	u.Uplink, u.Downlink = u.Uplink.since(base.Uplink), u.Downlink.since(base.Downlink)
	return u
}

func (c Count) since(base Count) Count {
	return Count{c.Packets - base.Packets, c.Octets - base.Octets}
}

// Counts reports whether one of the URRs has the key. No rules are nil.
func (r *Rules) Counts(k URRKey) bool {
	if r == nil {
		return false
	}
	u := r.FindURR(k.ID())
	return u != nil && u.Key() == k
}

// FindURR returns the URR with the ID, or nil.
func (r *Rules) FindURR(id uint32) *URR {
	for i := range r.URRs {
		if r.URRs[i].ID == id {
			return &r.URRs[i]
		}
	}
	return nil
}
