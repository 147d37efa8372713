package usage

import (
	"time"

	"github.com/upflab/upflab/upf/session"
)

// KeptUsage is how far the usage of a URR was reported, and what was counted when it was
// kept.
type KeptUsage struct {
	Sequence         uint32
	Base, Granted    session.Usage
	Since, Began     time.Time
	QuotaAt, GivenAt time.Time
	Started, Ended   bool
	VolumeUp, TimeUp bool
	Activity         KeptActivity
	Counted          session.Usage
	// VolumeFrom and TimeFrom are where thresholds count from.
	VolumeFrom session.Usage   `json:",omitzero"`
	TimeFrom   time.Time       `json:",omitzero"`
	Before     []KeptMonitored `json:"Splits,omitempty"`
	// Stopped is when the time that is measured stopped, Idle how long it stood still. Part of a second is not
	// reported yet.
	Stopped time.Time     `json:",omitzero"`
	Idle    time.Duration `json:",omitempty"`
	Part    time.Duration `json:",omitempty"`
}

// KeptMonitored is the usage at a monitoring time that has passed and is not reported.
type KeptMonitored struct {
	At    time.Time
	Usage session.Usage
	Idle  time.Duration `json:",omitempty"`
}

// KeptActivity is when a URR counted packets.
type KeptActivity struct {
	Total, Quiet uint64
	Last, Looked time.Time
}

func (st *State) Kept(counted session.Usage) KeptUsage {
	var before []KeptMonitored
	for _, m := range st.before {
		before = append(before, KeptMonitored{m.at, m.usage, m.idle})
	}
	return KeptUsage{
		Sequence: st.sequence, Base: st.base, Granted: octetsAlone(st.Granted), Since: st.since, Began: st.began, QuotaAt: st.quotaAt,
		GivenAt: st.givenAt, Started: st.started, Ended: st.Ended, VolumeUp: st.volumeUp, TimeUp: st.timeUp, Counted: counted,
		VolumeFrom: octetsAlone(st.volumeFrom), TimeFrom: st.timeFrom, Before: before, Stopped: st.stopped, Idle: st.idle, Part: st.part,
		Activity: KeptActivity{st.activity.total, st.activity.quiet, st.activity.last, st.activity.looked},
	}
}

// octetsAlone is a usage of volumes.
func octetsAlone(o session.Octets) session.Usage {
	return session.Usage{Uplink: session.Count{Octets: o.Uplink}, Downlink: session.Count{Octets: o.Downlink}}
}

func (k *KeptUsage) State() State {
	if k.TimeFrom.IsZero() { // of a version that knew no monitoring time
		k.VolumeFrom, k.TimeFrom = k.Base, k.Since
	}
	var before []monitored
	for _, m := range k.Before {
		before = append(before, monitored{m.At, m.Usage, m.Idle})
	}
	return State{
		volumeFrom: k.VolumeFrom.Octets(), timeFrom: k.TimeFrom, before: before, stopped: k.Stopped, idle: k.Idle, part: k.Part,
		sequence: k.Sequence, base: k.Base, Granted: k.Granted.Octets(), since: k.Since, began: k.Began, quotaAt: k.QuotaAt,
		givenAt: k.GivenAt, started: k.Started, Ended: k.Ended, volumeUp: k.VolumeUp, timeUp: k.TimeUp,
		activity: activity{total: k.Activity.Total, quiet: k.Activity.Quiet, last: k.Activity.Last, looked: k.Activity.Looked},
	}
}
