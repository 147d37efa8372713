package search

import (
	"context"
	"errors"
	"time"

	"github.com/upflab/upflab/internal/record"
)

// device is a simulated DUT with a clock of its own: no trial takes real time.
// Its arithmetic is that of testdata/oracle.py.
type device struct {
	Seed     uint64  `json:"seed"`
	Capacity float64 `json:"capacity"` // packets/s
	Noise    float64 `json:"noise"`    // of the capacity, peak to peak, from trial to trial
	Spikes   float64 `json:"spikes"`   // probability of a trial with a loss spike
	Spike    float64 `json:"spike"`    // loss ratio of one
	HoleFrom float64 `json:"hole_from"`
	HoleTo   float64 `json:"hole_to"` // loads in which the capacity is half

	overhead  time.Duration                          // of each trial
	queue     float64                                // packets it holds at the start of an overload
	generator float64                                // packets/s that the bench can send; 0: any
	drift     func(trial int, c float64) float64     // changes the capacity in the course of the search
	spoil     func(trial int, o *Outcome, d float64) // changes an outcome
	dies      int                                    // trial that fails with errDied; 0: none
	seen      map[uint64]uint64
	made      int
	clock     time.Duration
}

var errDied = errors.New("the device ended")

// chance is a number in [0, 1) that depends on nothing but seed, load and
// repeat.
func chance(seed uint64, pps float64, nth uint64) float64 {
	z := seed*0x9E3779B97F4A7C15 + uint64(pps*16)*0xD1342543DE82EF95 + nth*0xAF251AF3B0F025B5
	z = (z ^ z>>30) * 0xBF58476D1CE4E5B9
	z = (z ^ z>>27) * 0x94D049BB133111EB
	return float64((z^z>>31)>>11) / (1 << 53)
}

func (v *device) capacity(pps, u float64) float64 {
	c := v.Capacity * (1 + v.Noise*(u-0.5))
	if v.HoleFrom <= pps && pps < v.HoleTo {
		c *= 0.5
	}
	if v.drift != nil {
		c = v.drift(v.made, c)
	}
	return c
}

func (v *device) repeat(pps float64) uint64 {
	if v.seen == nil {
		v.seen = map[uint64]uint64{}
	}
	key := uint64(pps * 16)
	nth := v.seen[key]
	v.seen[key]++
	return nth
}

// trial is a Trial.
func (v *device) trial(_ context.Context, pps float64, d time.Duration) (Outcome, error) {
	v.made++
	v.clock += d + v.overhead
	if v.dies > 0 && v.made >= v.dies {
		return Outcome{}, errDied
	}
	nth, s := v.repeat(pps), d.Seconds()
	offered := pps
	if v.generator > 0 {
		offered = min(pps, v.generator)
	}
	sent := uint64(offered*s + 0.5)
	carried := uint64(v.capacity(pps, chance(v.Seed, pps, nth))*s + v.queue)
	o := Outcome{Sent: sent, Lost: sent - min(sent, carried), Seconds: s, Valid: true, LimitedBy: record.LimitNone}
	if chance(v.Seed+1, pps, nth) < v.Spikes {
		o.Lost = max(o.Lost, uint64(float64(sent)*v.Spike))
	}
	if o.Lost > 0 {
		o.LimitedBy = record.LimitDUT
	}
	if offered < pps*0.999 {
		o.Valid, o.LimitedBy, o.Reasons = false, record.LimitGenerator, []string{"generator sent less than intended"}
	}
	if v.spoil != nil {
		v.spoil(v.made, &o, s)
	}
	return o, nil
}

// now is a clock for Limits.
func (v *device) now() time.Time { return time.Unix(1_000_000, 0).Add(v.clock) }
